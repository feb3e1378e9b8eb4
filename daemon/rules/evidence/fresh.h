/*
 * rules/evidence/fresh.h: convolutions and matrix products of ever new sizes. cuDNN and
 * cuBLAS choose an algorithm, and build a plan, at the first call with a size, on the host;
 * they keep it for the next one. In a loop whose sizes stay the same that ends soon; where
 * they do not, new launch shapes of their kernels come to the end. Pure.
 */
#ifndef CADV_FRESH_H
#define CADV_FRESH_H

#include "rules/engine/rule.h"

/* What lies in front of these libraries' launches, beyond what lies in front of any other
 * launch of the run (struct kernel, host_before_ns). */
struct fresh {
	double shapes;		/* launch shapes of these libraries, rare or not */
	double late;		/* of these, rare ones that were new in the second half of the
				 * time from first to last work; 0: none of what follows */
	double late_s;		/* in front of these */
	double launches;	/* of rare shapes, all of them */
	double s;		/* in front of these */
	double beside_s;	/* in front of the other shapes, ${s} at most: a call's first
				 * kernel, which converts a layout, may have a shape that
				 * many sizes share */
};

/*
 * fresh_of(run, least): of the shapes that are launched seldom, if at least ${least} are new
 * in each of the quarters of the second half, and most launches of the run are of kernels
 * that its first half has and its last eighth: a loop, and no row of different phases. None
 * of XLA's programs, and none while a compiler is at work throughout: these are made anew
 * for a size, see recompilation.
 *
 * The model has a bounded number of kernels. Where it has lost some, shapes were new up to
 * the last that it has, and that is the time which is judged; the seconds are a lower bound.
 */
struct fresh fresh_of(const struct run *run, double least);

/* fresh_place(run, arena, least_s): the line of the program's own Python within whose calls
 * at least ${least_s} seconds of that lie, as gaps_within; NULL. */
const struct site *fresh_place(const struct run *run, struct arena *arena, double least_s);

#endif
