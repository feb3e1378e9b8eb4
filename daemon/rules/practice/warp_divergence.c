/*
 * warp-divergence: lanes of one warp take different branches, one after the other.
 * If branches were not counted (a kernel that is launched once), lanes of whole
 * warps are known to idle, but not why: it is reported here, with severity low.
 */
#include <math.h>

#include "rules/evidence/lanes.h"

enum rule_state
rule_warp_divergence(struct rule_view *x)
{
	struct lanes l = lanes_of(x);
	struct draft *d;

	if (isnan(l.active))
		return rule_lacks(x);
	if (l.active >= rule_value(x, "max_lanes") || rule_is_explained(x))
		return RULE_CLEAN;
	if (isfinite(l.divergent)) {
		if (l.divergent < rule_value(x, "min_divergent"))
			return RULE_CLEAN;	/* then it is idle-lanes */
	} else if (l.active >= 0.95 * l.block) {	/* only lanes that the
							 * block lacks */
		return RULE_CLEAN;
	}
	if (lanes_walk_rows(x) || lanes_end_rows(x))
		return RULE_CLEAN;	/* idle-lanes reports it */
	d = lanes_draft(x, &l, 32 * fmin(l.active / l.block, 1));
	d->f.confidence = CONF_HIGH;
	if (isnan(l.divergent)) {
		d->f.confidence = CONF_LOW;
		d->cap = SEV_LOW;
		d->f.title = "lanes idle, divergent or not";
	}
	d->f.summary = arena_format(x->arena, "%s of 32 lanes active per "
	    "instruction, on average; %s", say_plain(x->arena, l.active),
	    isfinite(l.divergent) ? arena_format(x->arena, "%s of the branch "
	    "targets diverge", say_percent(x->arena, l.divergent)) :
	    "divergent branches were not counted, but whole warps are "
	    "launched");
	d->f.advice = isfinite(l.divergent) ? "let the branch depend on what a "
	    "whole warp shares (warp index, sorted or binned data) instead of "
	    "the lane; replace short branches by arithmetic or predication" :
	    "where lanes take different branches, let those depend on what a "
	    "whole warp shares, and where most have nothing to do, map threads "
	    "to elements one to one: --replay, or a few more launches, count "
	    "the branches and tell which it is";
	lanes_branches(x, d);
	if (d->f.hots == 0)
		lanes_idle(x, d);
	return RULE_FOUND;
}
