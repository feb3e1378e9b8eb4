/*
 * low-theoretical-occupancy: registers, shared memory or barriers let too few
 * warps reside to hide latency.
 */
#include <math.h>

#include "rules/evidence/lines.h"

#define WIDEST 16	/* the most bytes that a lane's store writes */
#define UNUSED 4	/* bytes asked for / bytes written, from which on shared
			 * memory counts as unused */

/* The advice for larger blocks, if they need no more shared memory than the
 * present ones. */
static const char *
larger_blocks(struct rule_view *x, const struct occupancy *o)
{
	return o->best_ratio > o->ratio && o->best_block > rule_threads(x->kernel) ?
	    arena_format(x->arena, "; or, where a tile serves any number of "
	    "threads, blocks of %u", o->best_block) : "";
}

/* Text: the limit that the limiting resource would need for one more block. */
static const char *
next_step(struct rule_view *x, const struct occupancy *o, uint32_t threads)
{
	const struct record_DEVICE *l = &x->device->limits;
	uint32_t blocks = o->blocks_per_sm + 1;
	uint64_t warps = ((uint64_t)threads + 31) / 32;
	uint32_t room;

	switch (o->limiter) {
	case LIMITER_REGISTERS:
		/* Registers are allocated to warps in units of 8 per thread. */
		room = (uint32_t)(l->regs_per_sm / (blocks * warps * 32) /
		    8 * 8);
		return arena_format(x->arena, "use at most %u registers per "
		    "thread, now %u, for %u blocks on an SM: "
		    "__launch_bounds__(%u, %u), shorter live ranges, or a "
		    "smaller block", room, x->kernel->shape.regs, blocks,
		    threads, blocks);
	case LIMITER_SHARED:
		room = l->smem_per_sm / blocks;
		room = room > l->smem_reserved ? room - l->smem_reserved : 0;
		return arena_format(x->arena, "use at most %s of shared memory "
		    "per block, now %s, for %u blocks on an SM: smaller "
		    "tiles, narrower types, or registers for a part of it%s",
		    say_bytes(x->arena, room), say_bytes(x->arena,
		    (double)x->kernel->shape.smem_static +
		    x->kernel->shape.smem_dynamic), blocks,
		    larger_blocks(x, o));
	case LIMITER_BARRIERS:
		return "use fewer named barriers a block";
	case LIMITER_CLUSTER:
		return "use smaller clusters";
	default:
		return "use larger blocks";
	}
}

/* An upper bound of the bytes of shared memory that a block's stores write; NaN if
 * it is not known, or if the memory is filled by other means (asynchronous copies). */
static double
written_most(const struct rule_view *x)
{
	double stores = rule_metric(x, METRIC_SHARED_ST_INST);
	const struct code *c = x->kernel->code;

	if (rule_is_blind(x) || rule_metric(x, METRIC_PIPE_TENSOR) > 0)
		return NAN;
	for (uint32_t s = 0; c != NULL && s < c->sass.instructions; s++)
		if (c->sass.instruction[s].flags & (SASS_ASYNC | SASS_TENSOR))
			return NAN;
	return stores / fmax(1, rule_blocks(x->kernel)) * 32 * WIDEST;
}

/* The factor for the resident blocks if they asked for no more shared memory
 * than they write; 1 if they write all of it, or it is not known. */
static double
unused_step(const struct rule_view *x, const struct occupancy *o,
    double written)
{
	const struct record_SIGNATURE *s = &x->kernel->shape;
	const struct record_DEVICE *l = &x->device->limits;
	double threads = rule_threads(x->kernel), blocks;

	if (o->limiter != LIMITER_SHARED || !(written > 0) ||
	    !(s->smem_static + written < s->smem_dynamic / UNUSED))
		return 1;
	blocks = fmin((double)l->max_warps_per_sm * 32, s->regs > 0 ?
	    (double)l->regs_per_sm / s->regs : INFINITY) / threads;
	blocks = fmin(floor(blocks), floor(l->smem_per_sm / (s->smem_static +
	    written + l->smem_reserved + 1)));
	return fmin(1 / o->ratio, fmax(1, blocks / o->blocks_per_sm));
}

static void
say_unused(struct rule_view *x, struct draft *d, double written)
{
	rule_evidence(x, d, "written_bytes", written,
	    "shared memory that stores of a block write, at most",
	    .derived = metric_table[METRIC_SHARED_ST_INST].name);
	d->f.advice = arena_format(x->arena, "ask for as much shared memory as "
	    "is used: each block asks for %s and its stores write %s at most "
	    "(unless asynchronous copies fill the rest); %s",
	    say_bytes(x->arena, x->kernel->shape.smem_dynamic),
	    say_bytes(x->arena, written), d->f.advice);
}

static void
fill(struct rule_view *x, struct draft *d, const struct occupancy *o)
{
	double step = (o->blocks_per_sm + 1.0) / o->blocks_per_sm;
	double half = rule_value(x, "min_occupancy") / o->ratio;
	double written = written_most(x), unused = unused_step(x, o, written);
	static const struct fix none = FIX_NONE;

	for (int v = 0; v < VIEWS; v++)
		d->fix[v] = none;
	d->fix[VIEW_LOW].occupancy = fmin(step, 1 / o->ratio);
	d->fix[VIEW_MID].occupancy = fmin(fmax(fmax(step, half), unused),
	    1 / o->ratio);
	d->fix[VIEW_HIGH].occupancy = 1 / o->ratio;
	if (d->fix[VIEW_LOW].occupancy > d->fix[VIEW_MID].occupancy)
		d->fix[VIEW_LOW] = d->fix[VIEW_MID];
	/* In a grid of one wave or less, more occupancy needs as much larger a grid. */
	for (int v = 0; v < VIEWS && o->waves <= 1; v++)
		d->fix[v].grid = d->fix[v].occupancy;
	rule_evidence(x, d, "theoretical_ratio", o->ratio,
	    "theoretical occupancy", .derived = "occupancy calculator",
	    .key = "min_occupancy");
	rule_evidence(x, d, "limiter", o->blocks_per_sm, arena_format(x->arena,
	    "limited by %s", limiter_name[o->limiter]),
	    .derived = "occupancy calculator", .unit = "block/SM");
	d->f.summary = arena_format(x->arena, "%s theoretical occupancy: limited "
	    "by %s to %u block%s of %u threads on an SM",
	    say_percent(x->arena, o->ratio), limiter_name[o->limiter],
	    o->blocks_per_sm, o->blocks_per_sm == 1 ? "" : "s",
	    rule_threads(x->kernel));
	d->f.advice = next_step(x, o, rule_threads(x->kernel));
	if (unused > 1)
		say_unused(x, d, written);
	d->f.gain_note = "more warps hide more latency, up to the next full "
	    "resource";
	rule_blind(x, d);
}

enum rule_state
rule_low_theoretical_occupancy(struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	struct draft *d;

	if (!o->known || rule_threads(x->kernel) == 0)
		return rule_unmeasured(x, REASON_OCCUPANCY_UNKNOWN);
	if (!(o->ratio > 0) || o->blocks_per_sm == 0 ||
	    o->ratio >= rule_value(x, "min_occupancy"))
		return RULE_CLEAN;
	/* The block size alone is the cause: block-size-suboptimal reports it. */
	if ((o->limiter == LIMITER_BLOCKS || o->limiter == LIMITER_WARPS ||
	    o->limiter == LIMITER_NONE) &&
	    o->best_ratio >= rule_value(x, "min_occupancy"))
		return RULE_CLEAN;
	/* All blocks reside at once, and warp slots are free: there are no more
	 * blocks. A grid that fills all slots was sized to the slots. */
	if (o->waves < 1)
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	fill(x, d, o);
	lines_stalled(x, d, STALLS_LATENCY);
	return RULE_FOUND;
}
