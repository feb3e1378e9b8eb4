/*
 * tail-effect: the last wave of blocks leaves SMs empty. For blocks of equal
 * length the loss is at most 1 − waves / whole waves; the imbalance of the SMs'
 * active cycles is the other upper bound, where they were measured.
 */
#include <math.h>

#include "rules/engine/rule.h"

enum rule_state
rule_tail_effect(struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double avg = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_AVG);
	double max = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_MAX);
	double uneven = avg > 0 && max > 0 ? 1 - fmin(avg / max, 1) : NAN;
	double whole, bound, gain;
	struct fix fix = FIX_NONE;
	struct draft *d;

	if (!o->known || !isfinite(o->waves))
		return rule_unmeasured(x, REASON_OCCUPANCY_UNKNOWN);
	if (o->waves <= 1 || o->waves >= rule_value(x, "max_waves"))
		return RULE_CLEAN;
	whole = ceil(o->waves);
	bound = 1 - o->waves / whole;
	if (bound < rule_value(x, "min_bound"))
		return RULE_CLEAN;
	gain = isfinite(uneven) ? fmin(bound, uneven) : bound;
	/* The SMs ended together: there is no tail. */
	if (isfinite(uneven) && uneven < rule_value(x, "min_bound") / 2)
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	fix.spread = 1 / (1 - gain);
	rule_fix(d, &fix, isfinite(uneven) ? 0.5 : 0.3,
	    isfinite(uneven) ? 1 : 0.8);
	rule_evidence(x, d, "tail_ratio", bound, "1 − waves / whole waves",
	    .derived = "occupancy calculator", .key = "min_bound");
	rule_evidence(x, d, "waves", o->waves, "waves of blocks",
	    .derived = "occupancy calculator", .unit = "wave",
	    .key = "max_waves");
	if (isfinite(uneven))
		rule_evidence(x, d, "uneven_ratio", uneven,
		    "1 − mean / busiest SM's active cycles",
		    .derived = metric_table[METRIC_SM_CYCLES_ACTIVE_MAX].name);
	d->f.summary = arena_format(x->arena, "%s waves of blocks: the last, "
	    "partial wave wastes %s of the SM time",
	    say_plain(x->arena, o->waves), say_percent(x->arena, bound));
	d->f.advice = arena_format(x->arena, "choose a grid of whole waves "
	    "(%s blocks make one), a grid-stride loop over one wave, or "
	    "smaller blocks", say_whole(x->arena, fmax(1,
	    x->device->limits.sms * (double)o->blocks_per_sm)));
	d->f.gain_note = "bound for blocks of equal length";
	/* Where all blocks share DRAM, those of the last wave get more of it. */
	rule_blind(x, d);
	return RULE_FOUND;
}
