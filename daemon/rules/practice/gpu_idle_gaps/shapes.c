/*
 * Gaps in which libraries plan convolutions and products of sizes that are new each time.
 */
#include <math.h>

#include "rules/evidence/fresh.h"
#include "rules/evidence/reads.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

/* Of the plans for ever new sizes so much goes where inputs are padded to a few: those few
 * have theirs, and what is padded is computed (arithmetic: sizes rounded up by a tenth). At
 * worst as of the other gaps: what lies in front of a library's call need not be its plan. */
static const double shapes_go[VIEWS] = { 0.3, 0.8, 1 };

bool
idle_find_shapes(struct rule_view *x, const struct again *a)
{
	struct fresh f = fresh_of(x->run, rule_value(x, "min_gaps"));
	double all = f.s + f.beside_s;
	struct draft *d;

	if (f.late == 0 || 2 * f.late_s < rule_value(x, "min_share") * a->base)
		return false;
	d = rule_found(x, "shapes");
	d->variant = "shapes";
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC),
	    { shapes_go[VIEW_LOW] * f.s, shapes_go[VIEW_MID] * (f.s + 0.5 * f.beside_s),
	    shapes_go[VIEW_HIGH] * all } };
	d->claims = 1;
	d->cause_s = all;
	d->f.site = fresh_place(x->run, x->arena, WITHIN_TOLD * f.s);
	d->f.location = arena_format(x->arena, d->f.site != NULL ? "%s of sizes that come "
	    "seldom, most of it within what this line calls" :
	    "%s of sizes that come seldom", say_counted(x->arena, f.launches, "launch"));
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	rule_evidence(x, d, "late_shapes", f.late, "launch shapes of convolutions and products "
	    "that were new in the second half of the run",
	    .measured = "kernel records", .unit = "shape");
	rule_evidence(x, d, "late_ratio", 2 * f.late_s / a->base, "GPU idle in front of these, "
	    "twice, part of first to last work without its phases",
	    .derived = "kernel and API records", .key = "min_share");
	rule_evidence(x, d, "planning_s", f.s, "GPU idle in front of launches of such "
	    "seldom shapes, beyond what is in front of other launches",
	    .derived = "kernel and API records");
	rule_evidence(x, d, "planning_beside_s", f.beside_s, "the same of these libraries' "
	    "other shapes, as much at most", .derived = "kernel and API records");
	d->f.summary = arena_format(x->arena, "convolutions and products of ever new sizes: %s "
	    "of their %s were new in the second half of the run, and the GPU waits %s for what "
	    "the host does in front of those that come seldom (%s of GPU work and the gaps in "
	    "it)", say_whole(x->arena, f.late), say_counted(x->arena, f.shapes,
	    "launch shape"), say_seconds(x->arena, f.s), say_percent(x->arena,
	    fmin(1, f.s / a->base)));
	d->f.limiter = "the host, on which cuDNN and cuBLAS choose an algorithm and build a plan "
	    "for each new size";
	d->f.advice = "pad inputs to a few sizes, or group those of one size: cuDNN and cuBLAS "
	    "plan anew for each new one; keep their plans and handles from call to call";
	d->f.gain_note = "the plans go but for those of the few sizes that are left; what is "
	    "padded is computed";
	reads_doubt_idle(x, d);
	return true;
}
