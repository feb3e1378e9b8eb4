/*
 * low-achieved-occupancy: fewer warps reside than could, because blocks differ
 * in length or are too short. Where one thread or warp does its block's work,
 * or blocks are too many and too short, other rules report it.
 */
#include <math.h>

#include "rules/evidence/atomics.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/vacant.h"
#include "source/operand.h"

#define LINE_LEAST 0.7	/* of the time: equals min_line of global-atomic-contention */

/* Does the number of atomics, performed one after the other on one address,
 * explain the kernel's time? L2 serialises them, however many warps wait. */
static bool
stands_in_line(const struct rule_view *x)
{
	struct atomics a;

	return atomics_of(&a, x) == NULL && a.line >= LINE_LEAST &&
	    a.line <= ATOMICS_LINE_MOST;
}

/* Of the instructions in loops, loads of constants at run-time addresses: with more
 * of them warps may wait for those. */
#define CONSTANTS_LEAST 0.05

/* Below this share of waiting for memory something else takes the time. */
#define MEMORY_LEAST 0.1

/*
 * May warps wait for the constant cache? It delivers one address at a time, and
 * its part next to the arithmetic holds 2 KB: a loop that walks more waits at each
 * load. No counter tells, and more warps would wait in the same line. Measured on
 * an H100: a loop over 8 KB of constants had an achieved occupancy of 33 % and
 * took 2.5 times as long as over global memory, with 98 %.
 */
static bool
waits_for_constants(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double loads = 0, looped = 0;

	if (c == NULL || !c->disassembled ||
	    !(x->load->memory_stall < MEMORY_LEAST))
		return false;
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		struct operands o;

		if (sass_loop_of(&c->sass, s) == NULL)
			continue;
		looped++;
		operands_of(&o, i);
		if (i->space == SPACE_CONSTANT && o.uses > 0)
			loads++;
	}
	return loads > CONSTANTS_LEAST * looped;
}

/* The share of the theoretical occupancy that kernels with even blocks reach:
 * 0.87 to 0.98 on the reference pairs. */
#define REACHED 0.9

enum rule_state
rule_low_achieved_occupancy(struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double achieved = rule_metric(x, METRIC_OCCUPANCY) / 100;
	double avg = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_AVG);
	double max = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_MAX);
	double uneven = avg > 0 && max > 0 ? 1 - fmin(avg / max, 1) : NAN;
	struct fix fix = FIX_NONE;
	struct vacant vacant;
	struct draft *d;

	if (!o->known)
		return rule_unmeasured(x, REASON_OCCUPANCY_UNKNOWN);
	if (isnan(achieved))
		return rule_lacks(x);
	if (!(achieved > 0) ||
	    o->ratio - achieved <= rule_value(x, "min_points"))
		return RULE_CLEAN;
	/* Less than one wave: there are no more blocks; grid-too-small reports it. */
	if (o->waves < 1)
		return RULE_CLEAN;
	/* One wave of uneven blocks. */
	if (o->waves <= 1 && rule_said(x, "sm-imbalance"))
		return RULE_CLEAN;
	/* More warps do not speed up a saturated resource. */
	if (x->load->bound >= 0.5)
		return RULE_CLEAN;
	if (stands_in_line(x) || rule_is_explained(x))
		return RULE_CLEAN;
	/* Warps that hold their places without data: idle-lanes reports it. */
	if (rule_said(x, "idle-lanes") && vacant_most(&vacant, x))
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	fix.occupancy = o->ratio / achieved;
	rule_fix(d, &fix, 0.3, 1);
	d->fix[VIEW_MID].occupancy = fmax(1, REACHED * fix.occupancy);
	rule_evidence(x, d, "occupancy_gap_ratio", o->ratio - achieved,
	    "theoretical − achieved occupancy",
	    .derived = metric_table[METRIC_OCCUPANCY].name,
	    .key = "min_points");
	rule_evidence(x, d, "achieved_ratio", achieved, "achieved occupancy",
	    .measured = metric_table[METRIC_OCCUPANCY].name);
	rule_evidence(x, d, "theoretical_ratio", o->ratio,
	    "theoretical occupancy", .derived = "occupancy calculator");
	if (isfinite(uneven))
		rule_evidence(x, d, "uneven_ratio", uneven,
		    "1 − mean / busiest SM's active cycles",
		    .derived = metric_table[METRIC_SM_CYCLES_ACTIVE_MAX].name);
	d->f.summary = arena_format(x->arena, "achieved occupancy %s, "
	    "possible %s", say_percent(x->arena, achieved),
	    say_percent(x->arena, o->ratio));
	d->f.advice = uneven >= 0.1 ? arena_format(x->arena, "give the "
	    "blocks equal work, or launch many smaller ones that fill gaps: "
	    "SMs finish unevenly (the mean is active %s less than the busiest)",
	    say_percent(x->arena, uneven)) :
	    "give the warps of a block equal work, use smaller blocks, or let "
	    "each do more: warps of a block end at different times and hold "
	    "its place, or blocks are too short to be replaced in time";
	d->f.gain_note = "more warps hide more latency, up to the next full "
	    "resource";
	if (waits_for_constants(x)) {
		d->cap = SEV_LOW;
		d->f.gain_note = "that warps wait for results, and not for the "
		    "constants that a loop walks (over more than 2 KB, try "
		    "global or shared memory instead)";
	}
	rule_blind(x, d);
	lines_stalled(x, d, STALLS_LATENCY);
	return RULE_FOUND;
}
