/*
 * rules/evidence/tuning.c: see tuning.h.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/tuning.h"

/* Is it a launch with which Triton's autotuner times a configuration? framework_tunes also
 * takes a benchmark of the program's own for one, which launches from triton/testing.py. */
static bool
is_trial(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].python && s->frame[f].file != NULL &&
		    s->frame[f].function != NULL &&
		    strstr(s->frame[f].file, "triton/runtime/autotuner.py") != NULL &&
		    strcmp(s->frame[f].function, "_bench") == 0)
			return true;
	return false;
}

/* The same of torch.compile's search, too. */
static bool
is_search(const struct site *s)
{
	return is_trial(s) || framework_searches(s);
}

/* How many places launch ${kernel}, and for how many ${is} is true. */
static void
count_sites(const struct run *run, uint32_t kernel, bool (*is)(const struct site *s),
    size_t *all, size_t *trials)
{
	size_t end, i = site_launches(run->site, run->sites, kernel, &end);

	*all = *trials = 0;
	for (; i < end; i++) {
		if (run->site[i].call != CALL_LAUNCH || run->site[i].kernel != kernel)
			continue;
		++*all;
		*trials += is(&run->site[i]);
	}
}

bool
tuning_tried(const struct run *run, uint32_t kernel)
{
	size_t all, trials;

	count_sites(run, kernel, is_trial, &all, &trials);
	return trials > 0;
}

/* Stacks are taken of few launches: those of a kernel that the program launches seldom may
 * all be trials. So it must not have run since a later variant began. */
static bool
is_lost(const struct run *run, const struct kernel *k)
{
	size_t all, trials;

	count_sites(run, k->id, is_search, &all, &trials);
	if (trials == 0 || trials < all)
		return false;
	for (size_t i = 0; i < run->kernels; i++)
		if (run->kernel[i].mangled == k->mangled &&
		    run->kernel[i].first_ns > k->last_ns)
			return true;
	return false;
}

void
tuning_lost(const struct run *run, bool *lost)
{
	for (size_t i = 0; i < run->kernels; i++)
		lost[i] = is_lost(run, &run->kernel[i]);
}

#define THROUGHOUT 0.8	/* of the time from first to last GPU work; arithmetic: what runs in
			 * the rest is at most a fifth of the program's own */

bool
tuning_throughout(const struct run *run)
{
	return run->compiling.times > 0 && (double)run->compiling.span_ns * 1e-9 >=
	    THROUGHOUT * rule_active_s(run);
}

/* Everything that was compiled of the function of ${x}'s ${i}-th compilation. */
static struct tuned
sum_up(const struct rule_view *x, bool (*is)(const struct rule_view *x, size_t i), size_t i)
{
	const struct compiling *c = &x->run->compiling;
	struct tuned all = { .kernel = c->time[i].kernel };
	const char *name = x->run->kernel[all.kernel - 1].mangled;

	for (; i < c->times; i++) {
		const struct compiled *t = &c->time[i];

		if (t->kernel == 0 || t->kernel > x->run->kernels ||
		    x->run->kernel[t->kernel - 1].mangled != name || !is(x, i))
			continue;
		all.times++;
		all.idle_s += (double)t->idle_ns * 1e-9;
	}
	return all;
}

size_t
tuning_functions(const struct rule_view *x,
    bool (*is)(const struct rule_view *x, size_t i), struct tuned *top, size_t n)
{
	const struct compiling *c = &x->run->compiling;
	const char *seen[COMPILING_TIMES];
	size_t functions = 0;

	memset(top, 0, n * sizeof(*top));
	for (size_t i = 0; i < c->times; i++) {
		const char *name;
		struct tuned t;
		size_t k;

		if (!is(x, i))
			continue;
		name = x->run->kernel[c->time[i].kernel - 1].mangled;
		for (k = 0; k < functions && seen[k] != name; k++)
			;
		if (k < functions)
			continue;
		seen[functions++] = name;
		t = sum_up(x, is, i);
		for (k = 0; k < n; k++)
			if (t.idle_s > top[k].idle_s) {
				struct tuned less = top[k];

				top[k] = t;
				t = less;
			}
	}
	return functions;
}

double
tuning_variants(const struct run *run, const struct tuned *t)
{
	const char *name = run->kernel[t->kernel - 1].mangled;
	double variants = 0;

	for (size_t i = 0; i < run->kernels; i++)
		variants += run->kernel[i].mangled == name &&
		    tuning_tried(run, run->kernel[i].id);
	return fmax(variants, t->times);
}
