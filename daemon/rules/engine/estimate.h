/*
 * rules/engine/estimate.h: what PC samples and code say of the counters that a kernel
 * lacks: one that was launched too seldom to be measured in windows was sampled
 * all the same. Pure.
 *
 * A warp is sampled as "selected" when it issues: such samples are spread over
 * the instructions as their executions are, and all instructions of a basic block
 * are executed equally often. In a part of the samples, those of "not issued", no
 * warp of the scheduler could issue: the rest is how busy the issue slots were.
 * Measured against counters on 60 kernels of the reference pairs: the issue slots
 * within 3 points in the median, and too high where instructions take more than
 * one cycle to dispatch (by 33 points at most).
 */
#ifndef CADV_ESTIMATE_H
#define CADV_ESTIMATE_H

#include "rules/evidence/inst.h"

struct estimate {
	struct kernel kernel;	/* the view's, with metrics for those it lacks */
	struct code code;	/* its code, with executions if it lacks them:
				 * SOURCE_INST, and SOURCE_THREADS_ON as if all
				 * warps were full, which samples do not tell */
	struct load load;	/* of that kernel */
	double selected;	/* samples that all this rests on */
	struct instruction *instruction;	/* private: of ${code} */
};

/*
 * estimate_of(e, x): estimate the view's kernel. Returns NULL, or why its samples
 * say too little, with nothing to release then. Release with estimate_clear.
 */
const struct reason *estimate_of(struct estimate *e,
    const struct rule_view *x);
void estimate_clear(struct estimate *e);

/*
 * estimate_accesses(e, x): and what each of its accesses moves, as far as the code
 * tells where it goes (coded_estimate.h); the other counts of the instructions are
 * then as if they had been counted. False where these were counted, or without
 * memory.
 */
bool estimate_accesses(struct estimate *e, const struct rule_view *x);

#endif
