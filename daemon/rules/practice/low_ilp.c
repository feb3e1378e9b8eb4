/*
 * low-ilp: each instruction of a thread needs the result of the previous one,
 * so that warps wait for arithmetic and shared memory although enough of them
 * reside: results that take 4 to 30 cycles, not trips to memory.
 *
 * Where few warps reside, more of them are the first thing to try: the rules
 * about occupancy say so.
 */
#include <math.h>

#include "rules/evidence/lines.h"
#include "rules/evidence/stalls.h"

/* Results of a fixed latency, and of a short one that varies: shared memory,
 * shuffles, special functions. */
#define MASK_RESULT (STALL_BIT(WAIT) | STALL_BIT(SHORT_SCOREBOARD))

/* The middle view: a second independent chain of instructions in each thread;
 * the high view: three more. Each hides the others' waiting. */
#define CHAINS 2
#define CHAINS_MOST 4

/* The share of the time left with ${n} independent chains in a thread, which
 * hide each other's waiting until an instruction issues in every cycle. */
static double
chains(const struct stalls *s, int n)
{
	return 1 - fmin(s->share * (1 - 1.0 / n), s->unissued);
}

static enum rule_state
report(struct rule_view *x, const struct stalls *s, double warps)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.stall = chains(s, CHAINS_MOST);
	rule_fix(d, &fix, 0.25, 1);
	d->fix[VIEW_MID].stall = chains(s, CHAINS);
	/* Samples do not tell whether there is independent work. */
	d->f.confidence = CONF_LOW;
	stalls_evidence(x, d, s, "time of warps waiting for their own results");
	rule_evidence(x, d, "warps", warps, "warps on a scheduler",
	    .derived = metric_table[METRIC_OCCUPANCY].name, .unit = "warp",
	    .key = "min_warps");
	rule_evidence(x, d, "short_ratio", inst_waiting(x->kernel->code,
	    STALL_BIT(SHORT_SCOREBOARD)) / s->share,
	    "of it for shared memory, shuffles or special functions",
	    .measured = "PC samples");
	d->f.summary = arena_format(x->arena, "warps wait %s of their time for "
	    "the result of their last instructions, and %s of them on a "
	    "scheduler do not hide it: each thread does one thing after the "
	    "other", say_percent(x->arena, s->share),
	    say_plain(x->arena, warps));
	d->f.advice = "let each thread work on two or four independent items "
	    "side by side: several sums instead of one that are added up at "
	    "the end, two elements per iteration, the loop over items inside the "
	    "loop over steps, unrolled";
	d->f.gain_note = "a second chain of instructions in each thread; more "
	    "of them, where there is the work, hide more";
	lines_stalled(x, d, MASK_RESULT);
	return stalls_settle(x, d);
}

enum rule_state
rule_low_ilp(struct rule_view *x)
{
	double warps = stalls_warps(x);
	const struct reason *reason;
	struct stalls s;

	reason = stalls_of(&s, x, MASK_RESULT);
	if (reason != NULL)
		return rule_unmeasured_for(x, reason);
	if (!stalls_limit(x) || !(s.share >= rule_value(x, "min_stall")) ||
	    !(warps >= rule_value(x, "min_warps")))
		return RULE_CLEAN;
	return report(x, &s, warps);
}
