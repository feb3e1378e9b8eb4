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

struct affine;

/*
 * coded_accesses(c, address, shape, metric): what each access of ${c} moves,
 * executed as often as its SOURCE_INST says, as far as the code tells where it goes
 * (${address}, of affine_addresses); brought to what ${metric} has of all of them.
 *
 * coded_memory(metric, c): the counters of memory that ${metric} lacks, from that.
 */
void coded_accesses(struct code *c, const struct affine *address,
    const struct record_SIGNATURE *shape, const double *metric);
void coded_memory(double *metric, const struct code *c);

/* coded_of(e, x): what was not counted of the view's kernel, from its code and from
 * what was. 0; 1: nothing to estimate from, and nothing to release; -1
 * without memory. Release with coded_clear. */
int coded_of(struct coded *e, const struct rule_view *x);
void coded_clear(struct coded *e);

#endif
