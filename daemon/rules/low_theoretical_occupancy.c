/*
 * low-theoretical-occupancy: registers, shared memory or barriers let too few
 * warps reside to hide latency.
 */
#include <math.h>

#include "rules/lines.h"

/* What the limiter would have to become for one block more. */
static const char *
next_step(struct rule_view *x, const struct occupancy *o, uint32_t threads)
{
	const struct record_DEVICE *l = &x->device->limits;
	uint32_t blocks = o->blocks_per_sm + 1;
	uint64_t warps = ((uint64_t)threads + 31) / 32;
	uint32_t room;

	switch (o->limiter) {
	case LIMITER_REGISTERS:
		/* Registers are given to warps in units of 8 a thread. */
		room = (uint32_t)(l->regs_per_sm / (blocks * warps * 32) /
		    8 * 8);
		return arena_format(x->arena, "%u registers a thread, now %u, "
		    "would let %u blocks reside on an SM: "
		    "__launch_bounds__(%u, %u), shorter live ranges, or a "
		    "smaller block", room, x->kernel->shape.regs, blocks,
		    threads, blocks);
	case LIMITER_SHARED:
		room = l->smem_per_sm / blocks;
		room = room > l->smem_reserved ? room - l->smem_reserved : 0;
		return arena_format(x->arena, "%s of shared memory a block, "
		    "now %s, would let %u blocks reside on an SM: smaller "
		    "tiles, narrower types, or registers for a part of it",
		    say_bytes(x->arena, room), say_bytes(x->arena,
		    (double)x->kernel->shape.smem_static +
		    x->kernel->shape.smem_dynamic), blocks);
	case LIMITER_BARRIERS:
		return "use fewer named barriers a block";
	case LIMITER_CLUSTER:
		return "use smaller clusters";
	default:
		return "use larger blocks";
	}
}

static void
fill(struct rule_view *x, struct draft *d, const struct occupancy *o)
{
	double step = (o->blocks_per_sm + 1.0) / o->blocks_per_sm;
	double half = rule_value(x, "min_occupancy") / o->ratio;
	static const struct fix none = FIX_NONE;

	for (int v = 0; v < VIEWS; v++)
		d->fix[v] = none;
	d->fix[VIEW_LOW].occupancy = fmin(step, 1 / o->ratio);
	d->fix[VIEW_MID].occupancy = fmin(fmax(step, half), 1 / o->ratio);
	d->fix[VIEW_HIGH].occupancy = 1 / o->ratio;
	if (d->fix[VIEW_LOW].occupancy > d->fix[VIEW_MID].occupancy)
		d->fix[VIEW_LOW] = d->fix[VIEW_MID];
	rule_evidence(x, d, (struct evidence){ .name = "theoretical_ratio",
	    .label = "theoretical occupancy", .value = o->ratio,
	    .unit = "ratio", .source = "derived",
	    .from = "occupancy calculator" }, "min_occupancy");
	rule_evidence(x, d, (struct evidence){ .name = "limiter",
	    .label = arena_format(x->arena, "limited by %s",
	    limiter_name[o->limiter]), .value = o->blocks_per_sm,
	    .unit = "block/SM", .source = "derived",
	    .from = "occupancy calculator" }, NULL);
	d->f.summary = arena_format(x->arena, "%s theoretical occupancy: %s "
	    "allow %u block%s of %u threads on an SM",
	    say_percent(x->arena, o->ratio), limiter_name[o->limiter],
	    o->blocks_per_sm, o->blocks_per_sm == 1 ? "" : "s",
	    rule_threads(x->kernel));
	d->f.advice = next_step(x, o, rule_threads(x->kernel));
	d->f.gain_note = "more warps hide more latency, up to the next full "
	    "resource";
	rule_blind(x, d);
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section Occupancy "
	    "--section WarpStateStats --section SpeedOfLight");
}

enum rule_state
rule_low_theoretical_occupancy(struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	struct draft *d;

	if (!o->known || rule_threads(x->kernel) == 0)
		return rule_unmeasured(x, "its occupancy is not known");
	if (!(o->ratio > 0) || o->blocks_per_sm == 0 ||
	    o->ratio >= rule_value(x, "min_occupancy"))
		return RULE_CLEAN;
	/* The block size alone is the cause: block-size-suboptimal says it. */
	if ((o->limiter == LIMITER_BLOCKS || o->limiter == LIMITER_WARPS ||
	    o->limiter == LIMITER_NONE) &&
	    o->best_ratio >= rule_value(x, "min_occupancy"))
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	if (d == NULL)
		return RULE_NOT_MEASURED;
	fill(x, d, o);
	lines_stalled(x, d, STALLS_LATENCY);
	return RULE_FOUND;
}
