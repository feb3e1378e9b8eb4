/*
 * rules/evidence/little.c: see little.h.
 */
#include <math.h>

#include "rules/evidence/gaps.h"
#include "rules/evidence/little.h"
#include "rules/evidence/steps.h"

/* "Nearly all". Measured: 0.89 of the launches of a network on small graphs, 0.35 or less
 * of programs whose batches are large enough (PyTorch, H200, 2026-11-29). */
#define NEARLY 0.75

/* A compiler's region or a graph ends where the host waits. Measured: 11 and 12 launches
 * per wait where the data are too small, 28 in a solver that compiling helps (likewise). */
#define LAUNCHES_EACH 16

bool
little_is(const struct run *run, const struct kernel *k)
{
	return k->device < run->devices && !library_fills(run, k) &&
	    steps_mean_s(k) < STEPS_SHORT_LAUNCHES *
	    run->device[k->device].ceilings.launch_s;
}

/* The copies that the host waited for. */
static double
waited_for(const struct run *run)
{
	double n = 0;

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];

		if (!c->memset && c->kind != COPY_D2D)
			n += (double)(c->async ? c->waits : c->count);
	}
	return n;
}

bool
little_work(const struct run *run, struct little *l)
{
	double all = 0, little = 0, s = 0, most = 0;

	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];

		all += (double)k->launches;
		if (!little_is(run, k))
			continue;
		little += (double)k->launches;
		s += (double)k->total_ns * 1e-9;
	}
	for (size_t i = 0; i < run->sequences; i++)
		most = fmax(most, (double)run->sequence[i].length *
		    (double)run->sequence[i].repeats);
	if (!(all > 0) || !(little > 0))
		return false;
	*l = (struct little){ .launches = little / all, .kernel_s = s / little,
	    .each = all / fmax(1, waited_for(run)), .graph = most / all };
	return l->launches >= NEARLY && l->each <= LAUNCHES_EACH &&
	    l->graph < GAPS_REPEATED;
}
