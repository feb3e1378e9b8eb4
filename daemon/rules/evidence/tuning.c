/*
 * rules/evidence/tuning.c: see tuning.h.
 */
#include <string.h>

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

/* How many places launch ${kernel}, and how many of them are trials. */
static void
count_sites(const struct run *run, uint32_t kernel, size_t *all, size_t *trials)
{
	size_t end, i = site_launches(run->site, run->sites, kernel, &end);

	*all = *trials = 0;
	for (; i < end; i++) {
		if (run->site[i].call != CALL_LAUNCH || run->site[i].kernel != kernel)
			continue;
		++*all;
		*trials += is_trial(&run->site[i]);
	}
}

bool
tuning_tried(const struct run *run, uint32_t kernel)
{
	size_t all, trials;

	count_sites(run, kernel, &all, &trials);
	return trials > 0;
}

/* Stacks are taken of few launches: those of a kernel that the program launches seldom may
 * all be trials. So it must not have run since a later variant began. */
static bool
is_lost(const struct run *run, const struct kernel *k)
{
	size_t all, trials;

	count_sites(run, k->id, &all, &trials);
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
