/*
 * rules/gaps.c: see gaps.h.
 */
#include <math.h>

#include "rules/gaps.h"

struct again
gaps_again(const struct run *run, double least)
{
	struct again a = { 0, 0, 0, 0, rule_active_s(run) };

	for (size_t i = 0; i < GAP_CLASSES; i++) {
		const struct gap_class *c = &run->gap[i];
		double alike = (double)c->count;

		if (i > 0)
			alike += (double)run->gap[i - 1].count;
		if (i + 1 < GAP_CLASSES)
			alike += (double)run->gap[i + 1].count;
		if (alike < least)
			continue;
		a.gaps += (double)c->count;
		a.host += (double)c->idle_ns[IDLE_HOST] * 1e-9;
		a.api += (double)c->idle_ns[IDLE_API] * 1e-9;
		a.sync += (double)c->idle_ns[IDLE_AFTER_SYNC] * 1e-9;
	}
	a.base -= fmax(0, ((double)run->idle_ns[IDLE_HOST] +
	    (double)run->idle_ns[IDLE_API] +
	    (double)run->idle_ns[IDLE_AFTER_SYNC]) * 1e-9 -
	    a.host - a.api - a.sync);
	return a;
}

double
gaps_s(const struct run *run, double least)
{
	struct again a = gaps_again(run, least);

	return a.host + a.api + a.sync +
	    (double)run->idle_ns[IDLE_LAUNCH] * 1e-9;
}
