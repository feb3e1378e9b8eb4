/*
 * rules/evidence/gaps.c: see gaps.h.
 */
#include <math.h>

#include "rules/evidence/gaps.h"

struct again
gaps_again(const struct run *run, double least, double shortest_s)
{
	struct again a = { 0, 0, 0, 0, rule_active_s(run) };
	double phases = (double)run->idle_ns[IDLE_HOST] +
	    (double)run->idle_ns[IDLE_API] +
	    (double)run->idle_ns[IDLE_AFTER_SYNC];

	for (size_t i = 0; i < GAP_CLASSES; i++) {
		const struct gap_class *c = &run->gap[i];
		double alike = (double)c->count, ns;

		if (i > 0)
			alike += (double)run->gap[i - 1].count;
		if (i + 1 < GAP_CLASSES)
			alike += (double)run->gap[i + 1].count;
		if (alike < least)
			continue;
		ns = (double)c->idle_ns[IDLE_HOST] +
		    (double)c->idle_ns[IDLE_API] +
		    (double)c->idle_ns[IDLE_AFTER_SYNC];
		phases -= ns;
		if (ns * 1e-9 < shortest_s * (double)c->count)
			continue;
		a.gaps += (double)c->count;
		a.host += (double)c->idle_ns[IDLE_HOST] * 1e-9;
		a.api += (double)c->idle_ns[IDLE_API] * 1e-9;
		a.sync += (double)c->idle_ns[IDLE_AFTER_SYNC] * 1e-9;
	}
	a.base -= fmax(0, phases * 1e-9);
	return a;
}

double
gaps_s(const struct run *run, double least)
{
	struct again a = gaps_again(run, least, 0);

	return a.host + a.api + a.sync +
	    (double)run->idle_ns[IDLE_LAUNCH] * 1e-9;
}
