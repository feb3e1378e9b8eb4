/*
 * rules/evidence/tuning.h: what Triton's autotuner launches to time the configurations
 * of a kernel, by the stacks of launches. Pure.
 */
#ifndef CADV_TUNING_H
#define CADV_TUNING_H

#include "rules/engine/rule.h"

/* tuning_tried(run, kernel): has the autotuner tried out kernel id ${kernel}? The program
 * launches the fastest one later. */
bool tuning_tried(const struct run *run, uint32_t kernel);

/* tuning_lost(run, lost): set ${lost}, by kernel index, for what only the autotuner, or
 * torch.compile's search, launched, and not again once it had gone on to another variant of
 * the function: no change to such a kernel shortens the program. */
void tuning_lost(const struct run *run, bool *lost);

/* tuning_throughout(run): is code compiled from near the start of the GPU's work to near
 * its end? Stacks are taken of a kernel's first launches and ever fewer later ones. Only
 * then does a compiler that has more than half of them make as many of the launches: else
 * it may have had the first ones alone. */
bool tuning_throughout(const struct run *run);

/* What the autotuner compiled of one function. */
struct tuned {
	uint32_t kernel;	/* the id of one that it launched */
	double times, idle_s;	/* compilations, and the GPU's wait for them */
};

/*
 * tuning_functions(x, is, top, n): how many functions were compiled in those of
 * run->compiling for which ${is} is true; the ${n} with the longest wait, longest first, in
 * ${top}, which is zeroed where there are fewer.
 */
size_t tuning_functions(const struct rule_view *x,
    bool (*is)(const struct rule_view *x, size_t i), struct tuned *top, size_t n);

/* tuning_variants(run, t): of its function, as many variants as ran, or were compiled one
 * at a time: several may be launched in one shape, and one be compiled for several values
 * of its key. */
double tuning_variants(const struct run *run, const struct tuned *t);

#endif
