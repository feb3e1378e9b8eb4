/*
 * grid-too-small: there are not enough blocks to give every SM work, or the
 * few there are leave the GPU's places empty while nothing else is full.
 */
#include <math.h>

#include "rules/engine/rule.h"
#include "rules/evidence/strides.h"

/* How much faster spreading makes it: a thread that runs a loop can share it
 * with others; one without can only be moved, a warp at a time. */
static double
spread_of(const struct rule_view *x, double blocks, double sms)
{
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	double warps = rule_metric(x, METRIC_WARPS_LAUNCHED);
	double per_block = (rule_threads(x->kernel) + 31) / 32;
	double spread = fmax(1, sms / blocks);

	if (inst > 0 && warps > 0 && inst / warps < 64)
		spread = fmin(spread, fmax(1, per_block));
	return spread;
}

/* Is its function launched with other grids, too? Then it has as many blocks as
 * there was work. */
static bool
follows_work(const struct rule_view *x)
{
	const struct kernel *k = x->kernel;

	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *o = &x->run->kernel[i];

		if (o->id != k->id && o->device == k->device &&
		    o->mangled == k->mangled &&	/* interned */
		    o->shape.block_x == k->shape.block_x &&
		    rule_blocks(o) != rule_blocks(k))
			return true;
	}
	return false;
}

/*
 * That there are few blocks does not say that there is work for more: an algorithm
 * whose steps need each other has none. What its code shows to be independent can
 * be spread; else no more is promised than the least.
 */
static bool
set_fix(const struct rule_view *x, struct draft *d, double blocks, double sms)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double waves = o->known ? o->waves : NAN, most;
	bool shared = strides_shared(x->kernel->code) && !follows_work(x);
	struct fix fix = FIX_NONE;

	fix.spread = spread_of(x, blocks, sms);
	fix.grid = fix.spread;
	if (waves > 0 && waves < 1) {
		most = fmin(1 / waves, 64);
		fix.grid = fmax(fix.spread, most);
		fix.occupancy = most / fmin(fix.spread, 1 / waves);
	}
	rule_fix(d, &fix, 0.5, shared ? 1 : 0.5);
	/* Filling every place is the favourable end, half of it the middle. */
	d->fix[VIEW_MID].occupancy = shared ? sqrt(fix.occupancy) : 1;
	d->fix[VIEW_LOW].occupancy = 1;
	return shared;
}

static void
fill(struct rule_view *x, struct draft *d, double blocks, double sms)
{
	double waves = x->kernel->occupancy.known ?
	    x->kernel->occupancy.waves : NAN;
	bool shared = set_fix(x, d, blocks, sms);

	rule_evidence(x, d, (struct evidence){ .name = "blocks",
	    .label = "blocks in the grid", .value = blocks, .unit = "block",
	    .source = "attribute", .from = "kernel activity record" }, NULL);
	rule_evidence(x, d, (struct evidence){ .name = "sms",
	    .label = "SMs of this GPU", .value = sms, .unit = "SM",
	    .source = "attribute", .from = "device record" }, NULL);
	if (isfinite(waves))
		rule_evidence(x, d, (struct evidence){ .name = "waves",
		    .label = "blocks / blocks that fit at once",
		    .value = waves, .unit = "wave", .source = "derived",
		    .from = "occupancy calculator" }, "min_waves");
	d->f.confidence = !shared ? CONF_LOW : blocks < sms / 2 ? CONF_HIGH :
	    CONF_MEDIUM;
	d->f.summary = blocks < sms ? arena_format(x->arena, "%s block%s for "
	    "%s SMs: %s of the GPU is idle", say_whole(x->arena,
	    blocks), blocks == 1 ? "" : "s", say_whole(x->arena, sms),
	    say_percent(x->arena, 1 - blocks / sms)) :
	    arena_format(x->arena, "the grid is %s of what fits on the GPU "
	    "at once, and no unit is saturated", say_percent(x->arena, waves));
	d->f.advice = arena_format(x->arena, "launch %s blocks or more (%s)",
	    say_whole(x->arena, x->kernel->occupancy.known &&
	    x->kernel->occupancy.blocks_per_sm > 0 ?
	    sms * x->kernel->occupancy.blocks_per_sm : sms * 2),
	    rule_threads(x->kernel) > 256 ? "smaller blocks, and less work per "
	    "thread" : "less work per thread, a second dimension of the "
	    "problem in the grid, or other kernels beside it on streams");
	d->f.gain_note = shared ? "the same work spread over all SMs, up to "
	    "the next full resource" : "if its work can be divided further: "
	    "nothing that was seen of it says so";
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section "
	    "LaunchStats --section SpeedOfLight --section Occupancy");
}

enum rule_state
rule_grid_too_small(struct rule_view *x)
{
	const struct kernel *k = x->kernel;
	double blocks = rule_blocks(k), sms = x->device->limits.sms;
	bool counters = x->load->limit >= 0;
	struct draft *d;

	if (!(blocks > 0) || !(sms > 0))
		return rule_unmeasured(x, REASON_GRID_UNKNOWN);
	if (x->load->time_s < rule_value(x, "min_time"))
		return RULE_CLEAN;
	/* Other kernels fill the GPU beside it. */
	if (isfinite(k->alone_ns) && k->alone_ns < 0.5 * (double)k->total_ns)
		return RULE_CLEAN;
	if (blocks >= sms) {
		/* SMs are all at work: only a measured lack counts. */
		if (!counters || !k->occupancy.known ||
		    k->occupancy.waves >= rule_value(x, "min_waves") ||
		    x->load->busy >= rule_value(x, "max_busy"))
			return RULE_CLEAN;
	}
	d = rule_found(x, NULL);
	if (d == NULL)
		return RULE_NOT_MEASURED;
	fill(x, d, blocks, sms);
	return RULE_FOUND;
}
