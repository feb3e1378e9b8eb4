/*
 * idle-lanes: lanes are idle although no branch diverges: threads that exited
 * early, guards that switch most of a warp off, loops over fewer than 32 elements.
 */
#include <math.h>

#include "rules/evidence/lanes.h"

enum rule_state
rule_idle_lanes(struct rule_view *x)
{
	struct lanes l = lanes_of(x);
	double lanes;
	struct draft *d;

	if (isnan(l.active))
		return rule_lacks(x);
	lanes = isfinite(l.on) ? fmin(l.on, l.active) : l.active;
	if (lanes >= rule_value(x, "max_lanes"))
		return RULE_CLEAN;
	if (l.active >= 0.95 * l.block && l.block < 32)
		return RULE_CLEAN;	/* block-not-warp-multiple reports it */
	if (isnan(l.divergent))
		return rule_unmeasured(x, REASON_BRANCHES_UNCOUNTED);
	if (l.divergent >= rule_value(x, "max_divergent"))
		return RULE_CLEAN;	/* warp-divergence reports it */
	if (rule_is_explained(x))
		return RULE_CLEAN;
	d = lanes_draft(x, &l, lanes);
	d->f.summary = arena_format(x->arena, "%s of 32 lanes active per "
	    "instruction, on average, and no branch diverges: the others have "
	    "no work", say_plain(x->arena, lanes));
	d->f.advice = "map threads to elements one to one: let a warp take "
	    "several short rows at once, compact what remains active before "
	    "going on";
	lanes_idle(x, d);
	return RULE_FOUND;
}
