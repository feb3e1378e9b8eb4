/*
 * block-size-suboptimal: another block size would let more warps reside.
 *
 * Where blocks are so small that the number of blocks per SM is exhausted, or
 * that the GPU cannot start them as fast as they end, larger blocks also mean
 * fewer to start. The gain is that of the smallest block that fills an SM; the
 * high view takes the lower start cost of larger ones.
 */
#include <math.h>

#include "rules/evidence/lines.h"

/* Threads of the smallest block at which an SM's maximum number of blocks holds
 * its maximum number of warps. */
static double
least_threads(const struct rule_view *x)
{
	const struct record_DEVICE *l = &x->device->limits;
	const struct occupancy *o = &x->kernel->occupancy;
	double blocks = l->max_blocks_per_sm > 0 ? l->max_blocks_per_sm : 1;
	double least = ceil(l->max_warps_per_sm / blocks) * 32;

	return o->limiter == LIMITER_BLOCKS ? fmin(least, o->best_block) :
	    o->best_block;
}

/* The fix: the same threads in larger blocks; ${warps} times as many resident
 * warps, of the theoretical occupancy ${then}. */
static void
set_fix(const struct rule_view *x, struct draft *d, double warps, double then)
{
	double threads = fmax(1, rule_threads(x->kernel));
	double achieved = rule_metric(x, METRIC_OCCUPANCY) / 100;
	double full = threads < 32 ? threads / 32 : 1;
	double least = fmax(least_threads(x), threads);
	struct fix fix = FIX_NONE;

	fix.occupancy = warps;
	/* Occupancy was also lost because blocks could not be started in time. */
	if (rule_is_bound(x, RES_START) && achieved > 0)
		fix.occupancy = fmax(warps, fmin(1, then) / achieved);
	fix.blocks = fmin(1, threads / least);
	fix.inst = full;	/* blocks of less than a warp leave lanes idle */
	fix.part[RES_START] = fmin(1, threads / least);
	rule_fix(d, &fix, 1, 1);
	d->fix[VIEW_LOW].inst = 1;
	d->fix[VIEW_HIGH].part[RES_START] = fmin(1, threads /
	    fmax(least, 256));
}

enum rule_state
rule_block_size_suboptimal(struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	uint32_t threads = rule_threads(x->kernel);
	double best = fmin(o->best_ratio, 1), warps, most, now, then;
	struct draft *d;

	if (!o->known)
		return rule_unmeasured(x, REASON_OCCUPANCY_UNKNOWN);
	if (!(o->ratio > 0) || o->best_block == 0 || o->best_block == threads ||
	    !(best - o->ratio >= rule_value(x, "min_points")))
		return RULE_CLEAN;
	/* A larger block usually needs more shared memory, too. */
	if (o->limiter == LIMITER_SHARED || o->limiter == LIMITER_CLUSTER)
		return RULE_CLEAN;
	/* No more warps can reside than the grid has. */
	warps = rule_blocks(x->kernel) * ((threads + 31) / 32);
	most = fmax(1, x->device->limits.sms) *
	    fmax(1, x->device->limits.max_warps_per_sm);
	now = fmin(warps, most * o->ratio);
	then = fmin(warps, most * best);
	d = rule_found(x, NULL);
	set_fix(x, d, now > 0 ? fmax(1, then / now) : 1, best);
	rule_evidence(x, d, "occupancy_points_ratio", best - o->ratio,
	    "best block size's occupancy − this one's",
	    .derived = "occupancy calculator", .key = "min_points");
	rule_evidence(x, d, "theoretical_ratio", o->ratio,
	    "theoretical occupancy", .derived = "occupancy calculator");
	rule_evidence(x, d, "best_block", o->best_block,
	    "block size of the highest occupancy",
	    .derived = "occupancy calculator", .unit = "thread");
	rule_evidence(x, d, "best_min_grid", o->best_min_grid,
	    "smallest grid that fills the GPU with it",
	    .derived = "occupancy calculator", .unit = "block");
	d->f.summary = arena_format(x->arena, "blocks of %u threads reach %s "
	    "occupancy (limit: %s); %u would reach %s", threads,
	    say_percent(x->arena, o->ratio), limiter_name[o->limiter],
	    o->best_block, say_percent(x->arena, best));
	d->f.advice = o->limiter == LIMITER_BLOCKS ? arena_format(x->arena,
	    "launch blocks of %s threads or more (128 or 256 is the usual "
	    "choice): SM block limit reached", say_whole(x->arena,
	    least_threads(x))) : arena_format(x->arena, "launch blocks of %u "
	    "threads; a grid of %u blocks or more fills this GPU with them",
	    o->best_block, o->best_min_grid);
	d->f.gain_note = rule_is_bound(x, RES_START) ? "fewer blocks to start, "
	    "in the smallest size that fills an SM; larger ones may gain more" :
	    "more warps hide more latency, up to the next full resource";
	rule_blind(x, d);
	lines_stalled(x, d, STALLS_LATENCY);
	return RULE_FOUND;
}
