/*
 * rules/evidence/gaps.c: see gaps.h.
 */
#include <math.h>

#include "rules/evidence/gaps.h"

/* The number of gaps in class ${i} of ${run} and the two classes next to it. */
static double
alike(const struct run *run, size_t i)
{
	double n = (double)run->gap[i].count;

	if (i > 0)
		n += (double)run->gap[i - 1].count;
	if (i + 1 < GAP_CLASSES)
		n += (double)run->gap[i + 1].count;
	return n;
}

/* Idle seconds of these gaps that the host is the cause of. */
static double
host_s(const struct gap_class *c)
{
	return ((double)c->idle_ns[IDLE_HOST] + (double)c->idle_ns[IDLE_API] +
	    (double)c->idle_ns[IDLE_AFTER_SYNC]) * 1e-9;
}

struct again
gaps_again(const struct run *run, double least, double shortest_s)
{
	struct again a = { .base = rule_active_s(run) };
	double phases = ((double)run->idle_ns[IDLE_HOST] +
	    (double)run->idle_ns[IDLE_API] +
	    (double)run->idle_ns[IDLE_AFTER_SYNC]) * 1e-9;

	for (size_t i = 0; i < GAP_CLASSES; i++) {
		const struct gap_class *c = &run->gap[i];
		double s = host_s(c);

		if (alike(run, i) < least)
			continue;
		phases -= s;
		if (s < shortest_s * (double)c->count)
			continue;
		a.gaps += (double)c->count;
		a.input += (double)c->input_ns * 1e-9;
		a.host += (double)c->idle_ns[IDLE_HOST] * 1e-9;
		a.api += (double)c->idle_ns[IDLE_API] * 1e-9;
		a.sync += (double)c->idle_ns[IDLE_AFTER_SYNC] * 1e-9;
	}
	a.base -= fmax(0, phases);
	return a;
}

double
gaps_s(const struct run *run, double least, double longest_s)
{
	double sum = 0, longer = 0;

	for (size_t i = 0; i < GAP_CLASSES; i++) {
		const struct gap_class *c = &run->gap[i];
		double s = host_s(c);

		if (s > longest_s * (double)c->count)
			longer += (double)c->count;
		else if (alike(run, i) >= least)
			sum += s;
	}
	return sum + (double)run->idle_ns[IDLE_LAUNCH] * 1e-9 *
	    fmax(0, 1 - longer / fmax(1, (double)run->idle_gaps));
}
