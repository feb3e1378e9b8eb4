/*
 * rules/evidence/counters.h: step counters that an optimizer of PyTorch reads from the GPU, one
 * for each parameter and step. They are there if the program makes tensors on the GPU by
 * default, or has moved the optimizer's state; only fused or capturable leaves them there.
 * Pure.
 */
#ifndef CADV_COUNTERS_H
#define CADV_COUNTERS_H

#include "rules/engine/rule.h"

struct counters {
	double copies, groups;	/* that are theirs, and in how many rows; 0: none */
	double part;		/* of the rows of small copies to the host, 0..1 */
	double copy_s, gap_s;	/* their time on the GPU, and that between them */
	double wait_s;		/* the host is in these reads for so long besides: the first of
				 * each step waits for all work in front of it */
	const struct site *most;	/* the line that makes most of them */
	bool fused;		/* that optimizer has a fused form */
};

/* counters_of(run): these. */
struct counters counters_of(const struct run *run);

/* counters_of_reads(run, c): the part of all copies of single numbers to the host that ${c}
 * are, 0..1. counters_single(c): is it of such copies? */
double counters_of_reads(const struct run *run, const struct counters *c);
bool counters_single(const struct copy_class *c);

/* counters_other(s): does a line of Python copy to the host there, other than these? */
bool counters_other(const struct site *s);

/* counters_advice(c): what they are told, a clause. */
const char *counters_advice(const struct counters *c);

#endif
