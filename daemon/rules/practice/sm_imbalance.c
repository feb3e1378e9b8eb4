/*
 * sm-imbalance: some SMs work much longer than the mean SM. Too few blocks for
 * all SMs and a partial last wave look the same: where they explain it,
 * grid-too-small and tail-effect report it.
 *
 * Blocks of equal work also differ in time: on an H200, in some kernels of one
 * wave the mean SM finished 18 % before the last. So less than min_unexplained
 * counts only if the number of blocks is the reason.
 *
 * Of a grid of one wave all blocks begin at once, also those of one SM: where warps stay
 * as long as their block, resident warps tell how long the mean block lives while its SM
 * works. In sound programs they do not live equally long, either: hence min_within.
 */
#include <math.h>

#include "rules/evidence/lines.h"
#include "rules/evidence/resident.h"

/* Shorter kernels, in min_time, are much the start and the end of their blocks. */
#define LONG 5

struct uneven {
	double avg, max;	/* active cycles of an SM */
	double sms;		/* 1 - avg / max */
	double life;		/* of the mean block, of the time its SM works; 1: not
				 * known to be uneven */
};

/* At least this share of the imbalance must be explained by another cause. */
#define EXPLAINED 0.5

/* Do all blocks reside at once, with one more on some SMs than on others? */
static bool
is_by_number(const struct rule_view *x, double uneven)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double each = rule_blocks(x->kernel) / x->device->limits.sms;

	return o->known && o->waves <= 1 &&
	    1 - each / ceil(each) >= EXPLAINED * uneven;
}

/* How long the mean block of an SM lives while that works, if all begin at once. */
static double
life_of(const struct rule_view *x)
{
	const struct kernel *k = x->kernel;
	const struct occupancy *o = &k->occupancy;
	double life;

	if (!o->known || !(o->waves <= 1) || k->code == NULL ||
	    x->load->time_s < LONG * rule_value(x, "min_time"))
		return 1;
	life = resident_warps(x) / ceil(rule_threads(k) / 32.0);
	/* 1 if it is NaN. */
	return 1 - life >= rule_value(x, "min_within") &&
	    resident_together(k->code) ? life : 1;
}

static void
say(struct rule_view *x, struct draft *d, const struct uneven *u)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double blocks = rule_blocks(x->kernel), sms = x->device->limits.sms;
	const char *most = say_percent(x->arena, u->sms);

	if (u->life == 1 && is_by_number(x, u->sms)) {
		d->f.summary = arena_format(x->arena, "the average SM works %s "
		    "less than the busiest: %s blocks on %s SMs are %s for "
		    "some and %s for others", most,
		    say_whole(x->arena, blocks), say_whole(x->arena, sms),
		    say_whole(x->arena, ceil(blocks / sms)),
		    say_whole(x->arena, floor(blocks / sms)));
		d->f.advice = arena_format(x->arena, "make the grid a multiple "
		    "of the %s SMs, or use smaller blocks, of which more fit",
		    say_whole(x->arena, sms));
		return;
	}
	d->f.summary = u->life < 1 ? arena_format(x->arena, "the blocks, which all "
	    "begin at once, take unevenly long: the average one lives %s of the "
	    "time of the longest, and at the end most of the GPU waits for a few "
	    "of them", say_percent(x->arena, u->life * u->avg / u->max)) :
	    arena_format(x->arena, "the average SM works %s less than "
	    "the busiest: the blocks take unevenly long, and at the end most "
	    "of the GPU waits for a few of them", most);
	d->f.advice = o->known && o->waves <= 1 ? "deal the items out in turn, "
	    "block b taking b, b + gridDim.x, … instead of a range of its "
	    "own: or let a block take the next item from a counter (atomicAdd) whenever "
	    "it is done; split the longest items" :
	    "let the blocks with the most work start first (blocks start in "
	    "the order of their index), split the longest items among several "
	    "blocks, or let blocks of one wave take the next item from a "
	    "counter (atomicAdd) whenever they are done";
}

static enum rule_state
report(struct rule_view *x, const struct uneven *u)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.spread = u->max / u->avg;
	fix.occupancy = 1 / u->life;
	rule_fix_near(d, &fix, 0.5, 0.9);
	if (u->life < 1) {
		rule_evidence(x, d, "life_ratio", u->life * u->avg / u->max,
		    "mean block's life / that of the longest",
		    .derived = metric_table[METRIC_OCCUPANCY].name);
		rule_evidence(x, d, "within_ratio", 1 - u->life,
		    "1 − mean block's life / the time its SM works",
		    .derived = metric_table[METRIC_OCCUPANCY].name,
		    .key = "min_within");
	}
	rule_evidence(x, d, "uneven_ratio", u->sms,
	    "1 − mean / busiest SM's active cycles",
	    .derived = metric_table[METRIC_SM_CYCLES_ACTIVE_MAX].name,
	    .key = u->life < 1 ? NULL : is_by_number(x, u->sms) ?
	    "min_uneven" : "min_unexplained");
	rule_evidence(x, d, "cycles_mean", u->avg, "SM active cycles, mean",
	    .measured = metric_table[METRIC_SM_CYCLES_ACTIVE_AVG].name,
	    .unit = "cycle");
	rule_evidence(x, d, "cycles_busiest", u->max, "SM active cycles, busiest",
	    .measured = metric_table[METRIC_SM_CYCLES_ACTIVE_MAX].name,
	    .unit = "cycle");
	rule_evidence(x, d, "blocks_per_sm", rule_blocks(x->kernel) /
	    x->device->limits.sms, "blocks / SMs",
	    .attribute = "kernel activity record", .unit = "block");
	d->f.confidence = CONF_MEDIUM;
	say(x, d, u);
	d->f.gain_note = "the same work, as much on each SM; DRAM and L2, "
	    "which all share, gain nothing";
	lines_time(x, d);
	return rule_settle(x, d);
}

/* Does another rule's finding explain the imbalance? */
static bool
is_said(const struct rule_view *x, const struct uneven *u)
{
	double waves = x->kernel->occupancy.waves;

	if (rule_is_explained(x))
		return true;
	/* Which blocks are long is neither's. */
	if (u->life < 1)
		return false;
	/* More blocks spread what has one block more on some SMs, not blocks that take
	 * unevenly long: a grid of one for each SM is both. */
	if (rule_said(x, "grid-too-small") && is_by_number(x, u->sms))
		return true;
	return rule_said(x, "tail-effect") &&
	    1 - waves / ceil(waves) >= EXPLAINED * u->sms;
}

enum rule_state
rule_sm_imbalance(struct rule_view *x)
{
	const struct kernel *k = x->kernel;
	struct uneven u = {
		.avg = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_AVG),
		.max = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_MAX)
	};
	double sms = x->device->limits.sms;

	if (isnan(u.avg) || isnan(u.max) || !(u.max > 0))
		return rule_lacks(x);
	if (!(sms > 0))
		return rule_unmeasured(x, REASON_SMS_UNKNOWN);
	if (!(u.avg > 0))
		return rule_unmeasured(x, REASON_NO_SM_SEEN);
	u.sms = 1 - fmin(u.avg / u.max, 1);
	/* Launching the blocks takes about a microsecond, varying between SMs. If there
	 * is not a block per SM, it is grid-too-small. */
	if (x->load->time_s < rule_value(x, "min_time") || rule_blocks(k) < sms)
		return RULE_CLEAN;
	u.life = life_of(x);
	if (u.life == 1 && (u.sms < rule_value(x, "min_uneven") ||
	    (u.sms < rule_value(x, "min_unexplained") &&
	    !is_by_number(x, u.sms))))
		return RULE_CLEAN;
	/* Other kernels fill the GPU beside it. */
	if (isfinite(k->alone_ns) && k->alone_ns < 0.5 * (double)k->total_ns)
		return RULE_CLEAN;
	if (is_said(x, &u))
		return RULE_CLEAN;
	return report(x, &u);
}
