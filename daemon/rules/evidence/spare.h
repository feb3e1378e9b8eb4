/*
 * rules/evidence/spare.h: threads of a launch that have nothing to load and nothing to
 * store, though they execute the kernel: a block of 256 for a row of 48, whose guards
 * ("threadIdx.x < n") switch single accesses off, not branches. Pure.
 */
#ifndef CADV_SPARE_H
#define CADV_SPARE_H

#include "rules/engine/rule.h"

struct spare {
	double used;		/* the share of the threads that load or store, at
				 * most: of the sectors that all would, those
				 * that were */
	double left;		/* of the instructions, those of warps with such
				 * threads, were all others not launched */
};

/*
 * spare_of(s, x): compare the sectors that were counted with those of the code, were all
 * its guards open. False if the code does not tell: it loads or stores at addresses that
 * depend on data, in loops, or otherwise than by loads and stores, or not both.
 */
bool spare_of(struct spare *s, const struct rule_view *x);

#endif
