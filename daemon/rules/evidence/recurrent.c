/*
 * rules/evidence/recurrent.c: see recurrent.h.
 *
 * How often a layer is called no record says. A call for all positions may launch kernels for
 * each of them, which follow at once; what the GPU waits for is Python, in front of the first
 * launch of each call. So a kernel in front of whose launches the GPU waits begins calls.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/engine/same.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/recurrent.h"
#include "rules/evidence/steps.h"

#define SITES_MOST 256	/* with such a layer; arithmetic: 8 are of one line with 8 kernels */

/* From this mean gap on a launch is the first of a call: an operator takes Python 10 to 60 µs
 * (gaps.h); cuDNN goes from one launch of a call to the next in 2 to 5 µs. It is at least half
 * of the longest, too: on a slow host both grow. A GPU behind which work is queued has no such
 * gaps; but it does not wait for launches, either. */
#define BEGIN_S 10e-6
#define BEGIN_PART 0.5

/* What has launched less often than in every second step is not of each step: a layer tried
 * out, a last batch, state that an optimizer makes at first. Arithmetic. */
#define STEPS_LEAST 0.5

/* If such an operator is there for every second call, the loop contains it; arithmetic. */
#define FED_LEAST 0.5

/* So many launches of a kernel are one call's, or fewer, of a layer in several (layers times
 * products; arithmetic: 8 layers with two), and numbers are multiples of calls within this, as
 * the last step is not over. Of a kernel that others launch, too, its number from there is not
 * known well. */
#define EACH_MOST 16
#define EACH_NEAR 0.05
#define ALONE_LEAST 0.95

typedef bool site_is(const struct site *s);

/* The launches of ${k} from one call stack in a sample of them: ${s} of all that are known. */
static double
launches_at(const struct run *run, const struct kernel *k, const struct site *s)
{
	size_t end, i = site_launches(run->site, run->sites, k->id, &end);
	double all = 0;

	for (; i < end; i++)
		if (run->site[i].call == CALL_LAUNCH && run->site[i].kernel == k->id)
			all += (double)run->site[i].count;
	return all > 0 ? (double)s->count / all * (double)k->launches : 0;
}

static const struct kernel *
kernel_of(const struct run *run, const struct site *s)
{
	return s->call == CALL_LAUNCH && s->kernel > 0 && s->kernel <= run->kernels ?
	    &run->kernel[s->kernel - 1] : NULL;
}

/* Adds to ${n}, by kernel index, the launches from sites for which ${is} is true. */
static void
add_launches(const struct run *run, site_is *is, double *n)
{
	for (size_t i = 0; i < run->sites; i++) {
		const struct kernel *k = kernel_of(run, &run->site[i]);

		if (k != NULL && is(&run->site[i]))
			n[k - run->kernel] += launches_at(run, k, &run->site[i]);
	}
}

static int
compare(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

/* The steps of the optimizer: it launches most of its kernels once in each, or several times,
 * with which the calls for each step come out lower. 0: none. */
static double
steps_of(const struct rule_view *x, double *n)
{
	const struct run *run = x->run;
	double all = 0, sum = 0;

	for (size_t i = 0; i < run->kernels; i++)
		n[i] = 0;
	add_launches(run, steps_by_optimizer, n);
	for (size_t i = 0; i < run->kernels; i++)
		all += n[i];
	qsort(n, run->kernels, sizeof(*n), compare);
	for (size_t i = 0; i < run->kernels; i++) {
		sum += n[i];
		if (sum > 0 && sum >= all / 2)
			return n[i];
	}
	return 0;
}

/* The launches among ${n}, by kernel index, that begin a call. */
static double
calls_of(const struct run *run, const double *n, double steps)
{
	double longest = 0, calls = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < run->kernels; i++) {
			const struct kernel *k = &run->kernel[i];
			double gap_s;

			if (!(n[i] > 0) || n[i] < STEPS_LEAST * steps)
				continue;
			gap_s = (double)k->gap_before_ns * 1e-9 / (double)k->launches;
			if (pass == 0)
				longest = fmax(longest, gap_s);
			else if (gap_s >= fmax(BEGIN_S, BEGIN_PART * longest))
				calls += n[i];
		}
	return calls;
}

/* Are all launches from there alone, ${n}, that come ${least} times or more often, multiples of
 * ${calls}? */
static bool
are_multiples(const struct run *run, const double *n, double least, double calls)
{
	for (size_t i = 0; i < run->kernels; i++) {
		double each = n[i] / calls;

		if (n[i] < least || n[i] < ALONE_LEAST * (double)run->kernel[i].launches)
			continue;
		if (each > EACH_MOST + EACH_NEAR || fabs(each - round(each)) > EACH_NEAR)
			return false;
	}
	return true;
}

/* The calls that make the launches ${n}, ${begun} of which the GPU waits for: a layer in several
 * waits for a launch in each, and a call makes all of its launches a whole number of times. As
 * many as fit; ${begun} if no number does. What comes less often than ${least} is another
 * shape's. */
static double
whole_calls(const struct run *run, const double *n, double least, double begun)
{
	double fewest = begun;

	for (size_t i = 0; i < run->kernels; i++)
		if (n[i] >= least && n[i] >= ALONE_LEAST * (double)run->kernel[i].launches)
			fewest = fmin(fewest, n[i]);
	for (int each = 1; each <= EACH_MOST && fewest > 0; each++)
		if (are_multiples(run, n, least, fewest / each))
			return fewest / each;
	return begun;
}

/* Does Python make both calls at the same place? */
static bool
same_place(const struct site *a, const struct site *b)
{
	for (size_t i = 0;; i++) {
		bool p = i < a->frames && a->frame[i].python;
		bool q = i < b->frames && b->frame[i].python;

		if (!p || !q)
			return p == q;
		if (a->frame[i].line != b->frame[i].line ||
		    !same_text(a->frame[i].file, b->frame[i].file))
			return false;
	}
}

/* Is it a call of the layer by a line of the program? */
static bool
is_call(const struct site *s)
{
	return s->count > 0 && s->first < s->frames && s->frame[s->first].python &&
	    framework_recurs(s);
}

/* The sites of the layer, at most SITES_MOST of them in ${list}. */
static size_t
list_calls(const struct run *run, const struct site *list[SITES_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < run->sites && n < SITES_MOST; i++)
		if (kernel_of(run, &run->site[i]) != NULL && is_call(&run->site[i]))
			list[n++] = &run->site[i];
	return n;
}

/* The launches that begin calls from the place of ${list}[${first}], or 0 if an earlier one has
 * it; ${n} becomes the number of each kernel's launches from there. */
static double
begun_from(const struct run *run, const struct site *const *list, size_t sites, size_t first,
    double steps, double *n)
{
	for (size_t i = 0; i < first; i++)
		if (same_place(list[i], list[first]))
			return 0;
	for (size_t i = 0; i < run->kernels; i++)
		n[i] = 0;
	for (size_t i = first; i < sites; i++) {
		const struct kernel *k = kernel_of(run, list[i]);

		if (same_place(list[i], list[first]))
			n[k - run->kernel] += launches_at(run, k, list[i]);
	}
	return calls_of(run, n, steps);
}

/* Does what the loop calls between two of ${calls} make the next input of the last output? Of a
 * layer in several, ${calls} are all launches that begin a part of a call: a choice for each
 * output is then less than half of them, and no sign. A training chooses tokens of outputs and
 * takes the known ones (teacher forcing); attention has operators for each layer. */
static bool
is_fed(const struct run *run, double calls, double *n)
{
	double fed = 0;

	for (size_t i = 0; i < run->kernels; i++)
		n[i] = 0;
	add_launches(run, framework_feeds, n);
	for (size_t i = 0; i < run->kernels; i++)
		fed += n[i];
	return fed >= FED_LEAST * calls;
}

static void
mark(const struct run *run, site_is *is, bool *of)
{
	for (size_t i = 0; i < run->sites; i++) {
		const struct kernel *k = kernel_of(run, &run->site[i]);

		if (k != NULL && is(&run->site[i]))
			of[k - run->kernel] = true;
	}
}

struct recurrent
recurrent_layer(const struct rule_view *x, double least)
{
	const struct run *run = x->run;
	const struct site *list[SITES_MOST];
	struct recurrent none = { .site = NULL }, r = none;
	size_t sites = list_calls(run, list);
	double *n, steps, begun = 0;
	bool *of;

	if (sites == 0)
		return none;
	n = arena_get(x->arena, (run->kernels + 1) * sizeof(*n));
	of = arena_get(x->arena, (run->kernels + 1) * sizeof(*of));
	if (n == NULL || of == NULL || !((steps = steps_of(x, n)) > 0))
		return none;
	for (size_t i = 0; i < sites; i++) {
		double all = begun_from(run, list, sites, i, steps, n);
		double calls = whole_calls(run, n, least * steps, all) / steps;

		if (calls >= least && calls > r.calls) {
			r = (struct recurrent){ .site = list[i], .calls = calls,
			    .steps = steps };
			begun = all;
		}
	}
	if (r.site == NULL || is_fed(run, begun, n))
		return none;
	/* A line that samples with the layer calls it as often, and trains nothing. */
	for (size_t i = 0; i < run->kernels; i++)
		n[i] = 0;
	add_launches(run, framework_recurs_back, n);
	if (calls_of(run, n, steps) < least * steps)
		return none;
	mark(run, framework_recurs, of);
	mark(run, framework_recurs_back, of);
	r.of = of;
	return r;
}
