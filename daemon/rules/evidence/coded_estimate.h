/*
 * rules/evidence/coded_estimate.h: estimates of a kernel's counters from its
 * code, see coded.h. Pure.
 */
#ifndef CADV_CODED_ESTIMATE_H
#define CADV_CODED_ESTIMATE_H

#include "rules/evidence/inst.h"

struct coded {
	struct kernel kernel;	/* the view's, with estimated metrics */
	struct code code;	/* its code, with counts of each instruction */
	struct load load;	/* of that kernel */
	struct instruction *own;	/* of the code, if estimated; else NULL */
};

struct affine;

/*
 * coded_accesses(c, address, shape, metric): fill in what each access of ${c} moves
 * in as many executions as its SOURCE_INST says, from its address (${address}, of
 * affine_addresses), as far as that is known, scaled to the totals in ${metric}.
 *
 * coded_memory(metric, c): fill in the memory counters that ${metric} lacks,
 * from those.
 */
void coded_accesses(struct code *c, const struct affine *address,
    const struct record_SIGNATURE *shape, const double *metric);
void coded_memory(double *metric, const struct code *c);

/* coded_of(e, x): estimate what was not counted of the view's kernel, from its
 * code and from what was counted; if its instructions were, from their counts. Returns
 * 0; 1: nothing to estimate from, and nothing to release; -1: without memory. Release
 * with coded_clear. */
int coded_of(struct coded *e, const struct rule_view *x);
void coded_clear(struct coded *e);

#endif
