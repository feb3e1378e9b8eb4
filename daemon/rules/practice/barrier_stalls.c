/*
 * barrier-stalls: warps wait at __syncthreads() for the slowest warp of their
 * block, again and again, while no resource is saturated.
 *
 * A warp that meets few barriers in its life is not reported: those separate phases,
 * and it has nothing else to do meanwhile. Tree reductions are shuffle-reduction's.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/lines.h"
#include "rules/evidence/stalls.h"

/* A warp that waits at a barrier is sampled at an instruction behind it: how
 * many instructions back the barrier is searched for. */
#define BEHIND_MOST 8

static double
barriers_of(const struct code *c)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++)
		if (c->sass.instruction[s].flags & SASS_BARRIER)
			sum += inst_executed(c, s);
	return sum;
}

/* The barrier that a warp at instruction ${i} waits for, or ${i} itself. */
static size_t
barrier_before(const struct code *c, size_t i)
{
	uint32_t at = c->instruction[i].sass;

	if (at >= c->sass.instructions)
		return i;
	for (uint32_t n = 0; n <= BEHIND_MOST && n <= at; n++)
		if (c->sass.instruction[at - n].flags & SASS_BARRIER) {
			size_t b = inst_of_sass(c, at - n);

			return b != SIZE_MAX ? b : i;
		}
	return i;
}

static void
give_lines(const struct rule_view *x, struct draft *d)
{
	const struct code *c = x->kernel->code;
	struct mark *m = marks_new(x);

	if (m == NULL)
		return;
	for (size_t i = 0; i < c->instructions; i++) {
		double waits = inst_stalled(c, i, STALL_BIT(BARRIER));

		if (waits > 0)
			m[barrier_before(c, i)].weight += waits;
	}
	lines_fill(x, d, m, NULL);
	for (size_t i = 0; i < d->f.hots; i++)
		d->f.hot[i].what = "of the stalls at barriers";
	free(m);
}

static enum rule_state
report(struct rule_view *x, const struct stalls *s, double barriers)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	/* Only the code's author knows which barriers can go. */
	fix.stall = 1 - s->most;
	rule_fix(d, &fix, 0.25, 0.75);
	stalls_evidence(x, d, s, "time of warps at barriers");
	rule_evidence(x, d, "barriers", barriers, "barriers a warp comes to",
	    .derived = source_metric_table[SOURCE_INST].name, .unit = "inst",
	    .key = "min_barriers");
	d->f.summary = arena_format(x->arena, "warps spend %s of their time at "
	    "barriers, waiting for the slowest of their block; %s barriers "
	    "per warp", say_percent(x->arena, s->share),
	    say_plain(x->arena, barriers));
	d->f.advice = stalls_barrier_advice(x);
	d->f.gain_note = "the kernel with most of the waiting at barriers gone; "
	    "how many of them the data needs was not measured";
	give_lines(x, d);
	return stalls_settle(x, d);
}

enum rule_state
rule_barrier_stalls(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double warps = rule_blocks(x->kernel) *
	    ceil(rule_threads(x->kernel) / 32.0), barriers;
	const struct reason *reason;
	struct stalls s;

	reason = stalls_of(&s, x, STALL_BIT(BARRIER));
	if (reason != NULL)
		return rule_unmeasured_for(x, reason);
	if (isnan(inst_total(c, SOURCE_INST)))
		return rule_unmeasured(x, REASON_UNCOUNTED);
	if (!(warps > 0))
		return rule_unmeasured(x, REASON_WARPS_UNKNOWN);
	barriers = barriers_of(c) / warps;
	if (!stalls_limit(x) || s.share < rule_value(x, "min_stall") ||
	    barriers < rule_value(x, "min_barriers"))
		return RULE_CLEAN;
	return report(x, &s, barriers);
}
