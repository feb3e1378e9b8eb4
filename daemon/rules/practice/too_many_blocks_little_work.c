/*
 * too-many-blocks-little-work: so many blocks do so little each that starting
 * them, and working out what they are to do, takes most of the time.
 *
 * An H200 starts a block about every 0.7 ns, one after the other: empty blocks of 512
 * threads keep a quarter of the warp slots filled. A thread's instructions before its
 * first useful one are needed in each block, whatever it does then: their number is
 * estimated. Where starting blocks is the limit, it is known that they are too many.
 *
 * Where nearly all warps end at the first check, the grid is larger than the data: often
 * its size was given in threads, or a size of one dimension as a grid of two.
 */
#include <math.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/slope.h"

/* Instructions that nvcc puts around a kernel of one element per thread: stack pointer,
 * both indices and their product, the bounds check, two parameters, the exit. */
#define SETUP_INST 12
/* Instructions of a grid-stride loop for each element instead. */
#define LOOP_INST 3

/* Warp slots of an SM that stay empty: 10 points, as in Nsight Compute. */
#define GAP 0.10

/* An early exit follows the bounds check within so many instructions; a later
 * one is part of the work. Half of that loses one finding in 145 captures,
 * twice as many none. */
#define EARLY 64

/* The share of such warps from which on the grid is at fault, not its blocks: rounding
 * up to powers of two, in three dimensions, leaves at most 7 of 8 without work. */
#define OVERSIZE 0.9

struct blocks {
	double achieved;	/* occupancy, 0..1 */
	double life_s;		/* mean life of a block */
	double inst;		/* instructions per warp */
	double setup;		/* share of inst */
	double warps;		/* of the grid */
	double working;		/* of these, go on behind the first check */
	double returned;	/* share of the warps that have nothing to do */
	double checks;		/* share of all instructions that these run */
	bool by_place;		/* they know it without loading anything */
	double part;		/* how far it is believed: slopes */
};

/* Counts the warps that end at the first conditional EXIT; if that was not counted,
 * there are none. */
static void
count_returned(const struct rule_view *x, struct blocks *b)
{
	const struct code *c = x->kernel->code;
	double all, left, run = 0;

	b->working = b->warps;
	if (c == NULL || !c->counted || c->sass.instructions == 0)
		return;
	all = inst_executed(c, 0);
	b->by_place = true;
	for (uint32_t s = 0; s + 1 < c->sass.instructions && s < EARLY; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];

		run += inst_executed(c, s);
		if (i->flags & SASS_LOAD && (i->space == SPACE_GLOBAL ||
		    i->space == SPACE_GENERIC))
			b->by_place = false;
		if (!(i->flags & SASS_EXIT) || !(i->flags & SASS_CONDITIONAL))
			continue;
		left = inst_executed(c, s + 1);
		if (!(all > 0) || !(left <= all))
			return;
		b->working = b->warps * left / all;
		b->returned = 1 - left / all;
		b->checks = b->returned * fmin(1, run /
		    inst_total(c, SOURCE_INST));
		return;
	}
}

/* Is the grid larger than the data? Then there are blocks of which no warp has work,
 * and whether it has depends on its place in the grid, not on what is stored there. */
static bool
is_oversize(const struct rule_view *x, const struct blocks *b)
{
	return b->by_place && b->returned >= OVERSIZE &&
	    b->working < rule_blocks(x->kernel);
}

/* Waves of blocks per wave's worth of work. Where blocks are so small that an
 * SM cannot hold enough of them, block-size-suboptimal reports that: blocks of
 * the better size are counted. */
static double
waves_of(const struct rule_view *x, const struct blocks *b)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double waves = o->waves, threads = rule_threads(x->kernel);

	if (rule_said(x, "block-size-suboptimal") && o->best_ratio > 0 &&
	    o->best_block > threads)
		waves *= o->ratio / o->best_ratio * fmin(1, threads /
		    (32 * ceil(threads / 32)));
	return waves / fmax(0.01, 1 - b->returned);
}

/* The mean life of a block, s, by Little's law: resident blocks / blocks done
 * per second. */
static double
block_life(const struct rule_view *x, double achieved)
{
	const struct record_DEVICE *l = &x->device->limits;
	double warps = ceil(rule_threads(x->kernel) / 32.0);
	double resident = achieved * l->max_warps_per_sm / fmax(warps, 1);

	return resident * l->sms * x->load->spread * x->load->time_s /
	    fmax(rule_blocks(x->kernel), 1);
}

/* Is memory, which all SMs share, the limit? Then warp slots may be empty. */
static bool
is_memory_bound(const struct rule_view *x)
{
	return x->load->bound >= 0.5 && x->load->limit <= RES_L1;
}

/* Is issue, or a pipe, so busy that the number of instructions matters? */
static bool
is_issue_bound(const struct rule_view *x)
{
	return x->load->bound >= 0.5 && x->load->limit > RES_L1;
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct blocks *b)
{
	const struct occupancy *o = &x->kernel->occupancy;

	rule_evidence(x, d, "waves", waves_of(x, b), b->returned > 0 ?
	    "waves of blocks, for each wave's worth of work" :
	    "waves of blocks", .derived = "occupancy calculator",
	    .unit = "wave", .key = "min_waves");
	rule_evidence(x, d, "block_life_s", b->life_s, "mean life of a block",
	    .derived = "achieved occupancy and time", .key = "max_life");
	rule_evidence(x, d, "inst_per_warp", b->inst,
	    "instructions of a warp, from start to end",
	    .derived = metric_table[METRIC_INST_EXECUTED].name, .unit = "inst");
	rule_evidence(x, d, "setup_ratio", b->setup,
	    "of that, the part before the work begins, about",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .key = "min_setup");
	rule_evidence(x, d, "achieved_ratio", b->achieved, "achieved occupancy",
	    .measured = metric_table[METRIC_OCCUPANCY].name);
	rule_evidence(x, d, "theoretical_ratio", o->ratio,
	    "theoretical occupancy", .derived = "occupancy calculator");
	if (b->returned > 0)
		rule_evidence(x, d, "returned_ratio", b->returned,
		    "warps that end at the first check, with nothing to do",
		    .measured = "counts by instruction");
	if (is_oversize(x, b))
		rule_evidence(x, d, "working_warps", b->working,
		    "warps that go on", .measured = "counts by instruction",
		    .unit = "warp");
}

/* The finding, if the grid is larger than the data: only the warps with work stay. Each
 * of the others took a wavefront of the L1 pipe, though it accessed nothing: on an H200,
 * 4.12 million for 4.10 million warps, 2.63 for 2.61. */
static enum rule_state
report_oversize(struct rule_view *x, const struct blocks *b)
{
	double threads = rule_threads(x->kernel);
	double needed = fmax(1, ceil(b->working / ceil(threads / 32)));
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.inst = 1 - b->checks;
	fix.occupancy = fmax(1, x->kernel->occupancy.ratio / b->achieved);
	fix.grid = fix.part[RES_START] = needed / rule_blocks(x->kernel);
	fix.part[RES_L1] = fmax(fix.grid, 1 - b->returned * b->warps /
	    fmax(load_waves(x->load), b->warps));
	rule_fix_near(d, &fix, 0.5 * b->part, 0.95 * b->part);
	give_evidence(x, d, b);
	d->f.confidence = CONF_MEDIUM;
	d->f.title = "grid larger than the data";
	d->f.summary = arena_format(x->arena, "%s of the %s warps of %s blocks "
	    "have work: the others end at the first check",
	    say_whole(x->arena, b->working), say_whole(x->arena, b->warps),
	    say_whole(x->arena, rule_blocks(x->kernel)));
	d->f.advice = arena_format(x->arena, "launch as many blocks as the data "
	    "needs, about %s: its size / %s, rounded up, is a number of blocks, "
	    "not of threads, and where the data has one dimension, so has the "
	    "grid; where only the GPU knows the size, launch %s blocks, each "
	    "with a grid-stride loop", say_whole(x->arena, needed),
	    say_whole(x->arena, threads),
	    say_whole(x->arena, (double)x->device->limits.sms *
	    x->kernel->occupancy.blocks_per_sm));
	d->f.bad_code = "kernel<<<n, 128>>>(y, n);    // n blocks, not threads\n"
	    "kernel<<<dim3(b, b), 128>>>(y, n);   // one index, b * b blocks";
	d->f.good_code = "kernel<<<(n + 127) / 128, 128>>>(y, n);";
	d->f.gain_note = "the same work without the blocks that have none";
	return rule_settle(x, d);
}

static enum rule_state
report(struct rule_view *x, const struct blocks *b)
{
	const struct occupancy *o = &x->kernel->occupancy;
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.inst = 1 - fmin(0.6, fmax(0, (SETUP_INST - LOOP_INST) / b->inst));
	fix.occupancy = fmax(1, o->ratio / b->achieved);
	fix.part[RES_START] = 1 / fmax(1, o->waves);	/* one wave stays */
	rule_fix(d, &fix, 0.3 * b->part, 0.9 * b->part);
	give_evidence(x, d, b);
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s blocks of %u threads last "
	    "%s each, %s instructions per warp: achieved occupancy %s, possible "
	    "%s", say_whole(x->arena,
	    rule_blocks(x->kernel)), rule_threads(x->kernel),
	    say_seconds(x->arena, b->life_s), say_plain(x->arena, b->inst),
	    say_percent(x->arena, b->achieved),
	    say_percent(x->arena, o->ratio));
	d->f.advice = arena_format(x->arena, "launch %s blocks, each with a "
	    "grid-stride loop over the elements, rows or tiles: so many "
	    "fill this GPU; first check that the grid is not larger than the "
	    "data needs (its size in blocks, not in threads)",
	    say_whole(x->arena, (double)x->device->limits.sms *
	    o->blocks_per_sm));
	d->f.gain_note = "blocks that stay: their places filled, up to the next "
	    "full resource, and about 9 instructions less for each warp that "
	    "is not started";
	return rule_settle(x, d);
}

/* The product of all conditions, 0..1. Each is a slope from half of its
 * threshold on (or twice; for set-up, which is estimated, a quarter): a grid of
 * 31 waves is no different from one of 32. Either empty slots or instructions
 * must matter, and either set-up or starting. */
static double
believed(const struct rule_view *x, const struct blocks *b)
{
	double waves = rule_value(x, "min_waves");
	double life = rule_value(x, "max_life");
	double setup = rule_value(x, "min_setup");
	double part = slope(waves_of(x, b), waves / 2, waves) *
	    slope(b->life_s, 2 * life, life);

	if (!rule_is_bound(x, RES_START) || rule_said(x, "narrow-access") ||
	    rule_said(x, "block-size-suboptimal"))
		part *= slope(b->setup, 0.75 * setup, setup);
	if (!is_issue_bound(x))
		part *= slope(x->kernel->occupancy.ratio - b->achieved,
		    GAP / 2, GAP);
	return part;
}

enum rule_state
rule_too_many_blocks_little_work(struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	struct blocks b = {
		.warps = rule_blocks(x->kernel) *
		    ceil(rule_threads(x->kernel) / 32.0)
	};

	if (!o->known)
		return rule_unmeasured(x, REASON_OCCUPANCY_UNKNOWN);
	b.achieved = rule_metric(x, METRIC_OCCUPANCY) / 100;
	if (isnan(b.achieved) || isnan(inst))
		return rule_lacks(x);
	if (!(b.achieved > 0) || !(b.warps > 0) || !(inst > 0) ||
	    is_memory_bound(x))
		return RULE_CLEAN;
	b.life_s = block_life(x, b.achieved);
	b.inst = inst / b.warps;
	b.setup = fmin(1, SETUP_INST / b.inst);
	count_returned(x, &b);
	b.part = believed(x, &b);
	if (!(b.part > 0))
		return RULE_CLEAN;
	return is_oversize(x, &b) ? report_oversize(x, &b) : report(x, &b);
}
