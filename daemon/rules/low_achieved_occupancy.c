/*
 * low-achieved-occupancy: fewer warps reside than could: blocks of uneven
 * length, or too short ones.
 */
#include <math.h>

#include "rules/lines.h"

/* A block that is done sooner spends much of its time being launched, and many
 * of them in a row say that a few could do the work of all. */
#define SHORT_BLOCK_S 1e-6
#define MANY_WAVES 32

/* How long a block lives on average, by Little's law: blocks on the GPU at once
 * over blocks finished a second. */
static double
block_life(const struct rule_view *x, double achieved)
{
	const struct record_DEVICE *l = &x->device->limits;
	double warps = ceil(rule_threads(x->kernel) / 32.0);
	double resident = achieved * l->max_warps_per_sm / fmax(warps, 1);

	return resident * l->sms * x->load->spread * x->load->time_s /
	    fmax(rule_blocks(x->kernel), 1);
}

static void
say_short_blocks(struct rule_view *x, struct draft *d, double achieved,
    double life)
{
	double fit = (double)x->device->limits.sms *
	    x->kernel->occupancy.blocks_per_sm;

	d->f.title = "blocks end too soon";
	rule_evidence(x, d, (struct evidence){ .name = "block_life_s",
	    .label = "mean life of a block", .value = life, .unit = "s",
	    .source = "derived", .from = "achieved occupancy and time" },
	    NULL);
	d->f.summary = arena_format(x->arena, "blocks end too soon: %s blocks "
	    "of %u threads, %s each; so %s of the warps an SM can hold are "
	    "there, %s could be", say_whole(x->arena,
	    rule_blocks(x->kernel)), rule_threads(x->kernel),
	    say_seconds(x->arena, life), say_percent(x->arena, achieved),
	    say_percent(x->arena, x->kernel->occupancy.ratio));
	d->f.advice = arena_format(x->arena, "give each block more work: %s "
	    "blocks fill this GPU, each with a grid-stride loop over what is "
	    "there to do; first check that the grid is not larger than the "
	    "data needs (its size in blocks, not in threads)",
	    say_whole(x->arena, fit));
}

enum rule_state
rule_low_achieved_occupancy(struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double achieved = rule_metric(x, METRIC_OCCUPANCY) / 100;
	double avg = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_AVG);
	double max = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_MAX);
	double uneven = avg > 0 && max > 0 ? 1 - fmin(avg / max, 1) : NAN;
	struct fix fix = FIX_NONE;
	double life;
	struct draft *d;

	if (!o->known)
		return rule_unmeasured(x, "its occupancy is not known");
	if (isnan(achieved))
		return rule_lacks(x);
	if (!(achieved > 0) ||
	    o->ratio - achieved <= rule_value(x, "min_points"))
		return RULE_CLEAN;
	/* Less than one wave: there are no more blocks; grid-too-small. */
	if (o->waves < 1)
		return RULE_CLEAN;
	/* A full resource does not get faster by more warps. */
	if (x->load->bound >= 0.5)
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	if (d == NULL)
		return RULE_NOT_MEASURED;
	life = block_life(x, achieved);
	fix.occupancy = o->ratio / achieved;
	rule_fix(d, &fix, 0.3, 0.9);
	rule_evidence(x, d, (struct evidence){ .name = "occupancy_gap_ratio",
	    .label = "theoretical − achieved occupancy",
	    .value = o->ratio - achieved, .unit = "ratio",
	    .source = "derived", .from = metric_table[METRIC_OCCUPANCY].name },
	    "min_points");
	rule_evidence(x, d, (struct evidence){ .name = "achieved_ratio",
	    .label = "achieved occupancy", .value = achieved, .unit = "ratio",
	    .source = "measured", .from = metric_table[METRIC_OCCUPANCY].name },
	    NULL);
	rule_evidence(x, d, (struct evidence){ .name = "theoretical_ratio",
	    .label = "theoretical occupancy", .value = o->ratio,
	    .unit = "ratio", .source = "derived",
	    .from = "occupancy calculator" }, NULL);
	if (isfinite(uneven))
		rule_evidence(x, d, (struct evidence){ .name = "uneven_ratio",
		    .label = "1 − mean / busiest SM's active cycles",
		    .value = uneven, .unit = "ratio", .source = "derived",
		    .from = metric_table[METRIC_SM_CYCLES_ACTIVE_MAX].name },
		    NULL);
	d->f.summary = arena_format(x->arena, "%s of the warps an SM can hold "
	    "are there, %s could be", say_percent(x->arena, achieved),
	    say_percent(x->arena, o->ratio));
	d->f.advice = uneven >= 0.1 ? arena_format(x->arena, "SMs finish "
	    "unevenly (the mean is active %s less than the busiest): give the "
	    "blocks equal work, or many smaller blocks that fill gaps",
	    say_percent(x->arena, uneven)) :
	    "warps of a block end at different times and hold its place, or "
	    "blocks are too short to be replaced in time: even the work of "
	    "the warps out, use smaller blocks, or let each do more";
	if (o->waves > MANY_WAVES && life < SHORT_BLOCK_S)
		say_short_blocks(x, d, achieved, life);
	d->f.gain_note = "more warps hide more latency, up to the next full "
	    "resource";
	rule_blind(x, d);
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section Occupancy "
	    "--section WorkloadDistribution --section WarpStateStats");
	lines_stalled(x, d, STALLS_LATENCY);
	return RULE_FOUND;
}
