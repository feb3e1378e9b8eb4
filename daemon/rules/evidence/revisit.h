/*
 * rules/evidence/revisit.h: does a kernel that follows itself work on the same data each
 * time? No counter shows addresses; all memory in use bounds how many different arrays
 * the launches can have. Pure.
 */
#ifndef CADV_REVISIT_H
#define CADV_REVISIT_H

#include "rules/engine/rule.h"
#include "rules/evidence/pointwise.h"

struct revisit {
	double touched;		/* bytes of those data that a launch touches */
	double times;		/* how often each byte of all memory is touched, on
				 * average, if all of it is those data: the least */
	bool sure;		/* two launches in a row touch some bytes twice: twice
				 * as much is more than all memory, or than L2,
				 * from which they came. Where it looks up values in other
				 * arrays, only the former, and through the read-only
				 * path: then none of them is the state of the step before */
	struct pointwise_state state;	/* of revisit_in_place */
};

/*
 * revisit_row(x, k, least): how many of its launches follow each other, on average; 0:
 * fewer than two, fewer than ${least} in all, or copies of the run may come in between
 * (in other streams: more than an input and a result for each row).
 */
double revisit_row(const struct rule_view *x, const struct kernel *k, double least);

/*
 * revisit_in_place(a, x, k, read, written): does each thread of ${k} change the state of
 * its own elements in place, and need nothing that others stored (pointwise_in_place)?
 * ${read} and ${written} are the bytes of a launch. Fills ${a}; false also where not all
 * memory was recorded.
 */
bool revisit_in_place(struct revisit *a, const struct rule_view *x,
    const struct kernel *k, double read, double written);

/* revisit_reads(a, x, k, read): fills ${a} for what ${k} reads, ${read} bytes a launch;
 * false likewise. */
bool revisit_reads(struct revisit *a, const struct rule_view *x,
    const struct kernel *k, double read);

#endif
