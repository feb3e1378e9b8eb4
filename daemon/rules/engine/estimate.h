/*
 * rules/engine/estimate.h: estimates, from PC samples and code, of the counters
 * that a kernel lacks: a kernel launched too seldom to be measured in windows
 * was sampled all the same. Pure.
 *
 * A warp is sampled as "selected" when it issues: such samples are distributed
 * over the instructions as their executions are, and all instructions of a
 * basic block are executed equally often. In the samples marked "not issued" no
 * warp of the scheduler could issue: the others give the utilisation of the
 * issue slots. Compared with counters on 60 kernels of the reference pairs:
 * issue slots within 3 points in the median, and too high where instructions
 * take more than one cycle to dispatch (by up to 33 points).
 */
#ifndef CADV_ESTIMATE_H
#define CADV_ESTIMATE_H

#include "rules/evidence/inst.h"

struct estimate {
	struct kernel kernel;	/* the view's, with estimates for metrics it lacks */
	struct code code;	/* its code, with executions if it lacks them:
				 * SOURCE_INST, and SOURCE_THREADS_ON as if all
				 * warps were full, as samples do not tell */
	struct load load;	/* of that kernel */
	double selected;	/* the number of samples that all this rests on */
	struct instruction *instruction;	/* private: of ${code} */
};

/*
 * estimate_of(e, x): estimate the view's kernel. Returns NULL, or the reason
 * why its samples tell too little; then there is nothing to release. Release
 * with estimate_clear.
 */
const struct reason *estimate_of(struct estimate *e,
    const struct rule_view *x);
void estimate_clear(struct estimate *e);

/*
 * estimate_accesses(e, x): also estimate what each of its accesses moves, as
 * far as the code tells the addresses (coded_estimate.h), so that all counts of
 * the instructions are set. False if these were counted, or without memory.
 */
bool estimate_accesses(struct estimate *e, const struct rule_view *x);

#endif
