/*
 * source/trips.h: how often a loop turns, as far as the code alone tells. Pure.
 */
#ifndef CADV_TRIPS_H
#define CADV_TRIPS_H

#include "source/sass.h"

/* What a launch tells besides the code; 0: not known. */
struct trips_launch {
	double threads;		/* of a block */
	double shared_bytes;	/* of a block */
};

/*
 * trips_find(s, launch): for each loop of ${s} its turns for each time that it is
 * entered; 0: the code does not tell. It does
 * - if its counter goes from a constant (or, in steps of a block, from the thread's
 *   number) to a constant, in steps that are constant, and nothing else ends it;
 * - if it fills shared memory: at most once;
 * - if it does the rest that an unrolled loop leaves: few.
 * NULL without memory. Release with free.
 */
double *trips_find(const struct sass *s, const struct trips_launch *launch);

#endif
