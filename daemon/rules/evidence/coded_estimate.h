/*
 * rules/evidence/coded_estimate.h: the counters of a kernel as its code would make them,
 * see coded.h. Pure.
 */
#ifndef CADV_CODED_ESTIMATE_H
#define CADV_CODED_ESTIMATE_H

#include "rules/evidence/inst.h"

struct coded {
	struct kernel kernel;	/* the view's, with metrics */
	struct code code;	/* its code, with counts of each instruction */
	struct load load;	/* of that kernel */
};

/* coded_of(e, x): 0; 1: nothing to estimate from, and nothing to release; -1
 * without memory. Release with coded_clear. */
int coded_of(struct coded *e, const struct rule_view *x);
void coded_clear(struct coded *e);

#endif
