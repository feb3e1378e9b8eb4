/*
 * model/repeat.c: the noise between launches that do the same work.
 *
 * Launches of one kernel differ for reasons of the program's own: the first ones
 * fetch pages, levels of a tree shrink, two kinds of input alternate. That is signal.
 * Noise is the difference between launches that did the same work, but no record says
 * which did. So the duration of each launch is compared with the last few of its kernel
 * and with the launch at the same place of a repeating sequence, and the smallest
 * difference counts: trends, modes and cycles cancel out. With random differences the
 * nearest of n values is nearer than any one of them, by a known factor (nearest),
 * which is divided out again.
 */
#include <math.h>

#include "model/internal.h"

#define REPEAT_LEAST 4u		/* launches to compare one with, and differences:
				 * fewer cannot tell a trend from chance */

/* The median of the least |x0 - xi|, i = 1..n, of independent normal values of
 * standard deviation 1, for n from REPEAT_LEAST on (drawn 60,000 times). */
static const double nearest[REPEAT_LAST + 1 - REPEAT_LEAST] = {
	0.296, 0.241, 0.205, 0.176, 0.156
};

static uint64_t
apart(uint64_t a, uint64_t b)
{

	return a > b ? a - b : b - a;
}

void
repeat_add(struct repeat *r, uint64_t ns, uint64_t before)
{
	uint64_t least = UINT64_MAX;
	double sigma;
	uint32_t i, n = r->seen < REPEAT_LAST ? (uint32_t)r->seen :
	    REPEAT_LAST;

	for (i = 0; i < n; i++)
		least = min_u64(least, apart(ns, r->last[i]));
	if (before != 0)
		least = min_u64(least, apart(ns, before));
	if (n >= REPEAT_LEAST) {
		sigma = (double)least / nearest[n - REPEAT_LEAST];
		stat_add(&r->apart, sigma < 1.8e19 ? (uint64_t)sigma :
		    UINT64_MAX);
	}
	r->last[r->seen++ % REPEAT_LAST] = ns;
}

double
repeat_noise(const struct repeat *r)
{

	return r->apart.count < REPEAT_LEAST ? NAN :
	    stat_quantile(&r->apart, 0.5);
}
