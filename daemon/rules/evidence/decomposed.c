/*
 * rules/evidence/decomposed.c: see decomposed.h.
 */
#include <math.h>
#include <string.h>

#include "rules/engine/same.h"
#include "rules/evidence/decomposed.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/operator.h"

/* The longest kernel has so much of the time of all kernels. Arithmetic: what has less of it
 * saves next to nothing, and so at most 100 kernels are compared with all others. */
#define SHARE_LEAST 0.01

/* A decomposition or two at the start are no loop. Arithmetic: of the shortest, one launch
 * each, so many calls. */
#define LAUNCHES_LEAST 100

#define ALONE_LEAST 0.5		/* of their time no other kernel ran; arithmetic: most */

/* Are both launched from the same line, or function where there are no lines? */
static bool
same_place(const struct site *a, const struct site *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return same_site(a, b) || (a->first < a->frames &&
	    a->frame[a->first].line == 0 && same_caller(a, b));
}

/* Is it a framework's operator for singular values or eigenvalues? */
static bool
is_spectral(const struct site *s)
{
	char name[OPERATOR_SIZE];

	return operator_of(name, s) && (strstr(name, "svd") != NULL ||
	    strstr(name, "linalg_eig") != NULL);
}

static bool
is_solvers(const struct rule_view *x, const struct kernel *k)
{
	size_t i = (size_t)(k - x->run->kernel);

	return x->libraries[i].solver && !x->lost[i] && k->device < x->run->devices &&
	    x->run->device[k->device].limits.sms > 0 && rule_blocks(k) > 0;
}

static double
late_s(const struct kernel *k)
{
	return k->gap_before_ns > k->host_before_ns ?
	    (double)(k->gap_before_ns - k->host_before_ns) * 1e-9 : 0;
}

/* Adds ${k} to ${d}, whose blocks and filled are weighted by time until all are there. */
static void
add(const struct rule_view *x, const struct kernel *k, struct decomposed *d)
{
	double s = (double)k->total_ns * 1e-9;
	double sms = x->run->device[k->device].limits.sms;

	d->launches += (double)k->launches;
	d->s += s;
	d->gap_s += (double)k->gap_before_ns * 1e-9;
	d->late_s += late_s(k);
	d->blocks += s * rule_blocks(k);
	d->filled += s * fmin(1, rule_blocks(k) / sms);
	d->spectral |= x->libraries[k - x->run->kernel].spectral;
}

static double
kernels_ns(const struct run *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->kernels; i++)
		sum += (double)run->kernel[i].total_ns;
	return sum;
}

bool
decomposed_by(const struct rule_view *x, const struct kernel *k, struct decomposed *d, bool *of)
{
	const struct run *run = x->run;
	const struct site *place;
	double alone = 0;

	*d = (struct decomposed){ .most = k };
	if (!is_solvers(x, k) || (double)k->total_ns < SHARE_LEAST * kernels_ns(run))
		return false;
	place = lines_launched(run, k->id);
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *o = &run->kernel[i];

		if (!is_solvers(x, o) || !same_place(place, lines_launched(run, o->id)))
			continue;
		if (o->total_ns > k->total_ns || (o->total_ns == k->total_ns && o < k))
			return false;
		add(x, o, d);
		alone += isfinite(o->alone_ns) ? o->alone_ns : (double)o->total_ns;
	}
	d->spectral |= is_spectral(place);
	d->blocks /= d->s;
	d->filled /= d->s;
	if (!(d->filled <= DECOMPOSED_FILLED) || d->launches < LAUNCHES_LEAST ||
	    alone * 1e-9 < ALONE_LEAST * d->s)
		return false;
	for (size_t i = 0; of != NULL && i < run->kernels; i++)
		of[i] |= is_solvers(x, &run->kernel[i]) &&
		    same_place(place, lines_launched(run, run->kernel[i].id));
	return true;
}

const bool *
decomposed_all(const struct rule_view *x, struct decomposed *d)
{
	const struct run *run = x->run;
	bool *of = NULL;

	*d = (struct decomposed){ .most = NULL };
	for (size_t i = 0; i < run->kernels; i++) {
		struct decomposed one;

		if (!x->libraries[i].solver || !decomposed_by(x, &run->kernel[i], &one, NULL))
			continue;
		if (of == NULL && (of = arena_get(x->arena, run->kernels)) == NULL)
			return NULL;
		decomposed_by(x, &run->kernel[i], &one, of);
		if (d->most == NULL || one.most->total_ns > d->most->total_ns)
			d->most = one.most;
		d->launches += one.launches;
		d->s += one.s;
		d->gap_s += one.gap_s;
		d->late_s += one.late_s;
		d->spectral |= one.spectral;
	}
	return of;
}
