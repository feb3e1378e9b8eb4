/*
 * rules/evidence/closure.c: see closure.h.
 */
#include <string.h>

#include "rules/evidence/closure.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/steps.h"

#define MOST 0.5		/* arithmetic */

static bool
is_within(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].file != NULL &&
		    strstr(s->frame[f].file, STEPS_LBFGS) != NULL)
			return true;
	return false;
}

bool
closure_called(const struct run *run)
{
	double all = 0, within = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->first >= s->frames ||
		    !s->frame[s->first].python || framework_waits_for_backward(s))
			continue;
		all += (double)s->count;
		within += is_within(s) ? (double)s->count : 0;
	}
	return within > MOST * all;
}

bool
closure_optimizes(const struct site *s)
{
	return steps_by_optimizer(s) && is_within(s);
}

double
closure_reads(const struct run *run)
{
	double all = 0, own = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (!lines_reads(s))
			continue;
		all += (double)s->count;
		own += closure_optimizes(s) ? (double)s->count : 0;
	}
	return all > 0 ? own / all : 0;
}
