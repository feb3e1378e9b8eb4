/*
 * A model's graph that goes through the CPU: a tensor that is made there is copied to the GPU,
 * and its gradient back in each backward pass.
 */
#include <math.h>

#include "rules/evidence/detour.h"
#include "rules/evidence/reads.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

/* What such a copy is replaced by takes a launch, of which there is hardly one where a part of
 * a tensor was copied in both directions; at worst half goes: others of that size may be
 * batches. Arithmetic. */
static const double detour_goes[VIEWS] = { 0.5, 0.85, 1 };

bool
idle_find_detour(struct rule_view *x, const struct again *a)
{
	struct detour o;
	struct draft *d;
	double s, all;

	if (!detour_of(x->run, &o))
		return false;
	s = fmin(o.s, a->host + a->api + a->sync);
	all = s + o.copy_s;
	if (all < rule_value(x, "min_share") * a->base)
		return false;
	d = rule_found(x, "detour");
	d->variant = "detour";
	d->waits = BAR_WAIT;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_LAUNCH),
	    { detour_goes[VIEW_LOW] * s, detour_goes[VIEW_MID] * s,
	    detour_goes[VIEW_HIGH] * s } };
	d->claim[1] = (struct claim){ POOL_COPY, { detour_goes[VIEW_LOW] * o.copy_s,
	    detour_goes[VIEW_MID] * o.copy_s, detour_goes[VIEW_HIGH] * o.copy_s } };
	d->claims = 2;
	d->cause_s = all;
	d->f.site = o.site;
	d->f.location = arena_format(x->arena, "%s of its size in both directions, forward "
	    "and backward", say_counted(x->arena, o.copies, "copy"));
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	rule_evidence(x, d, "detour_ratio", all / a->base, "GPU idle behind and in front of "
	    "copies of one size that go as often to the host as from it, and those to the host, "
	    "part of first to last work without its phases", .derived = "copy records",
	    .key = "min_share");
	rule_evidence(x, d, "gradients_s", o.copy_s, "of it, these copies to the host",
	    .measured = "copy records");
	rule_evidence(x, d, "gradients", o.gradients, "copies to the host by which a backward "
	    "pass gives a gradient back, of those whose stack was taken",
	    .measured = "call stacks", .unit = "copy");
	d->f.summary = arena_format(x->arena, "the model's graph goes through the CPU: a tensor "
	    "that is made there is copied to the GPU, and its gradient back in each backward "
	    "pass; that takes %s (%s of GPU work and the gaps in it, one-off phases excluded)",
	    say_seconds(x->arena, all), say_percent(x->arena, all / a->base));
	d->f.limiter = "the host, which does its part of the backward pass between these copies";
	d->f.advice = "make the tensor on the GPU, so that neither it nor its gradient is "
	    "copied";
	d->f.gain_note = "what is done on the CPU with that tensor and its gradient is "
	    "a few short kernels on the GPU";
	reads_doubt_idle(x, d);
	return true;
}
