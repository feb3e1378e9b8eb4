/*
 * rules/faults.h: runs (made.h) with one fault each, named after it, and runs that
 * almost have one. Each fills a run that made_init made. To add one, write FAULT(name)
 * { ... }, which has `struct made *m`, or a row FAULT_IS(name, statement). Either
 * defines fault_name; the build lists them for all of faults_*.c in faults_list.h.
 */
#ifndef TEST_FAULTS_H
#define TEST_FAULTS_H

#include "rules/faults_list.h"
#include "rules/made.h"

#define FAULT(name)							\
	void								\
	fault_##name(struct made *m)
#define FAULT_IS(name, ...)						\
	FAULT(name)							\
	{								\
		__VA_ARGS__;						\
	}

/* A defect that a correctness tool found (faults_check.c). */
struct defect *fault_defect(struct made *m, enum wire_tool tool,
    enum wire_defect kind);

/* fault_uncount removes the counts of the first kernel. fault_sample turns them
 * into samples: warps are issued in the share ${issue} of the time, 0..1
 * (faults_sampled.c). */
void fault_uncount(struct made *m);
void fault_sample(struct made *m, double issue);

#endif
