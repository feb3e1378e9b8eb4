/*
 * source/often.h: how often a warp executes each instruction of a kernel, as far as the
 * code alone tells. Pure.
 */
#ifndef CADV_OFTEN_H
#define CADV_OFTEN_H

#include <stdbool.h>
#include <stdint.h>

struct sass;
struct sass_loop;
struct trips_launch;

#define OFTEN_DEPTHS 4		/* loop nesting; deeper loops count as the deepest */

struct often {
	/* Executions by loop depth, to be multiplied by iterations to the power of the
	 * depth: those of the loops around it whose turns are known (trips.h), which
	 * do not count as depth; in the compiler's own 64-bit division, at the depth
	 * of each call. */
	double times[OFTEN_DEPTHS];
	/* Executions per iteration of a loop for rare arguments (rare.h); 0: it is not
	 * part of such code. */
	double rare;
	/* It is in a function that the compiler added for rare arguments, or in fmodf's
	 * code for them (remainder.h), which hardly any warp executes, or it fills the
	 * space behind the code. */
	bool never;
	/* It is in a loop that retries an atomic of shared memory (often_retry): how
	 * often, the code does not tell. */
	bool retried;
};

/* often_make(s, launch): one for each instruction; with ${launch} NULL, or in code with very
 * many loops, no loop's turns are known. NULL without memory; release with free. */
struct often *often_make(const struct sass *s, const struct trips_launch *launch);

/* often_retry(s, at): the loop in which instruction ${at}, a compare-and-swap in shared
 * memory, is repeated until no other lane interferes; NULL: it is none, or in no loop
 * but the kernel's own. */
const struct sass_loop *often_retry(const struct sass *s, uint32_t at);

#endif
