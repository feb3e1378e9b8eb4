/*
 * rules/evidence/workers.c: see workers.h.
 */
#include <math.h>

#include "rules/evidence/workers.h"

/* From this share of the launches on whose time was counted, the rest is like it: arithmetic,
 * most. */
#define COUNTED_MOST 0.5

/* The timeline of the GPU that works most; NULL: there is none. */
static const struct timeline *
timeline_of(const struct run *run)
{
	size_t busiest = 0;

	for (size_t i = 1; i < run->devices; i++)
		if (run->device[i].busy_ns > run->device[busiest].busy_ns)
			busiest = i;
	return busiest < run->timelines ? &run->timeline[busiest] : NULL;
}

/* How many kernels run on the GPU of ${t} from ${from} to ${to}, by parts of its bins. */
static double
launches_in(const struct timeline *t, double from, double to)
{
	double bin = (double)t->bin_ns, sum = 0;

	for (uint32_t i = (uint32_t)fmin(from / bin, t->bins); i < t->bins && i * bin < to; i++) {
		double part = fmin(to, (i + 1) * bin) - fmax(from, i * bin);

		sum += part > 0 ? part / bin * t->count[ROW_KERNEL][i] : 0;
	}
	return sum;
}

static double
since(const struct run *run, uint64_t ns)
{
	return ns > run->origin_ns ? (double)(ns - run->origin_ns) : 0;
}

double
workers_leave_s(const struct run *run, struct during during, double s)
{
	const struct timeline *t = timeline_of(run);
	double from = (double)during.from_ns, counted = 0, left = 0;
	double to = (double)(during.to_ns > 0 ? during.to_ns : run->wall_ns);
	double all = t != NULL ? launches_in(t, from, to) : 0;

	if (!(all > 0))
		return s;
	for (size_t i = 0; i < run->workeds; i++) {
		const struct working_time *w = &run->worked[i];
		double begin = fmax(from, since(run, w->from_ns));
		double end = fmin(to, since(run, w->to_ns)), part, ns;

		if (!(end > begin) || !(w->ns > 0))
			continue;
		ns = (end - begin) * fmin(1, w->ns / (double)(w->to_ns - w->from_ns));
		part = launches_in(t, begin, end) / all * ns / (end - begin);
		counted += part;
		left += fmin(part * s, ns * 1e-9 * fmax(0, 1 - w->used_ns / w->ns));
	}
	/* What is left beside most of it, is left beside the rest. */
	return counted > COUNTED_MOST ? fmin(s, left / counted) : left + s * (1 - counted);
}

double
workers_worked(const struct run *run, uint64_t at_ns, double *n)
{
	double at = (double)at_ns;

	for (size_t i = 0; i < run->workeds; i++) {
		const struct working_time *w = &run->worked[i];

		if (at < since(run, w->from_ns) || at >= since(run, w->to_ns) || !(w->ns > 0))
			continue;
		*n = w->there_ns / w->ns;
		return fmin(1, w->used_ns / w->ns);
	}
	return NAN;
}
