/*
 * serial-kernel: one thread or one warp of each block does the work, and the
 * others have exited or (for one thread) wait for it at a barrier; or one block
 * of the grid does the work after all others have exited: then hardly one SM
 * works in the mean cycle.
 *
 * One thread shows in the lanes of the mean instruction: close to one, without
 * divergent branches (32 lanes that take turns also execute one at a time, but that is
 * warp-divergence). That it is one thread of the block, not one of each warp, shows in
 * the warps: about one per block resides, or the others are sampled at a barrier. Whole
 * warps that wait at barriers for another are barrier-stalls, whatever that one does.
 */
#include <math.h>

#include "facts/warp.h"
#include "rules/evidence/lanes.h"
#include "rules/evidence/lines.h"

/* Working warps of a block: at most so many may be a single one; with fewer
 * than NO_WARP the waiting is not for one of them. */
#define ONE_WARP 1.5
#define NO_WARP 0.5
/* A block of fewer warps has none to share the work with. */
#define MANY_WARPS 4

/* At most so many SMs work in the mean cycle, of a grid of at least so many blocks. */
#define ONE_SM 2
#define MANY_BLOCKS 8

/* The largest gain of sharing the work among warps or blocks. */
#define SPEED_MOST 32

/* Bytes of a lane's word, if the bytes used were not counted. */

enum who { ONE_THREAD, ONE_WARP_OF_ALL, ONE_BLOCK };

struct work {
	struct lanes lanes;
	double warps;		/* of a block */
	double there;		/* of them, resident in the mean cycle */
	double waiting;		/* share of their time at barriers; NaN */
	double working;		/* there, without warps waiting at barriers */
};

/* Resident warps of a block in the mean cycle: those of an SM / its blocks. */
static void
look(const struct rule_view *x, struct work *w)
{
	const struct occupancy *o = &x->kernel->occupancy;
	const struct code *c = x->kernel->code;
	double sms = fmax(1, x->device->limits.sms);
	double blocks = o->waves >= 1 ? o->blocks_per_sm :
	    fmin(rule_blocks(x->kernel) / sms, o->blocks_per_sm);

	w->lanes = lanes_of(x);
	w->warps = ceil(rule_threads(x->kernel) / 32.0);
	w->there = rule_metric(x, METRIC_OCCUPANCY) / 100 *
	    x->device->limits.max_warps_per_sm / fmax(1, blocks);
	w->waiting = c != NULL ? inst_waiting(c, STALL_BIT(BARRIER)) : NAN;
	w->working = w->there;
	if (isfinite(w->waiting))
		w->working *= 1 - w->waiting;
}

/* The work shared by all lanes, accesses included: one instruction does what 32
 * did, and its sectors are fully used. */
static void
share_lanes(const struct rule_view *x, struct fix *fix, double lanes)
{
	double used = or_zero(rule_metric(x, METRIC_GLOBAL_LD_BYTES_PER_SECTOR));

	used = fmax(WORD, used) / SECTOR;
	fix->inst = fix->part[RES_L1] = lanes;
	fix->part[RES_L2] = fmax(lanes, fmin(1, used));
	fix->flight = 1 / lanes;
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct work *w,
    enum who who)
{
	double lanes = fmin(1, fmax(w->lanes.active, 1) / 32);
	struct fix fix = FIX_NONE;

	if (who == ONE_BLOCK) {
		fix.spread = fmin(rule_blocks(x->kernel), SPEED_MOST);
	} else {
		if (who == ONE_THREAD)
			share_lanes(x, &fix, lanes);
		fix.occupancy = fmin(fmax(1, w->warps / fmax(w->working, 1)),
		    SPEED_MOST);
	}
	/* What the parts found has to be combined, in order. */
	rule_fix_near(d, &fix, 0.5, 0.95);
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct work *w, bool thread)
{
	rule_evidence(x, d, "lanes_per_inst", w->lanes.active,
	    "active lanes per instruction, of 32",
	    .derived = metric_table[METRIC_THREAD_INST].name,
	    .unit = "lane/inst", .key = thread ? "max_lanes" : NULL);
	rule_evidence(x, d, "warps_per_block", w->warps, "warps of a block",
	    .attribute = "kernel activity record", .unit = "warp");
	rule_evidence(x, d, "warps_working", w->working,
	    "of them at work in the mean cycle",
	    .derived = metric_table[METRIC_OCCUPANCY].name, .unit = "warp",
	    .key = thread ? NULL : "max_warps");
	if (isfinite(w->waiting))
		rule_evidence(x, d, "barrier_ratio", w->waiting,
		    "samples of warps that wait at a barrier",
		    .measured = "PC samples");
}

static enum rule_state
report(struct rule_view *x, const struct work *w, bool thread)
{
	struct draft *d = rule_found(x, NULL);
	const char *others = w->there > 2 * w->working ?
	    "wait for it at a barrier" : "have exited";

	set_fix(x, d, w, thread ? ONE_THREAD : ONE_WARP_OF_ALL);
	give_evidence(x, d, w, thread);
	d->f.confidence = CONF_MEDIUM;
	d->f.title = thread ? "one thread does the work" :
	    "one warp does the work";
	d->f.summary = thread ? arena_format(x->arena, "one thread of the %u "
	    "in a block does the work (%s lanes active per instruction, %s "
	    "of %s warps); the others %s", rule_threads(x->kernel),
	    say_plain(x->arena, w->lanes.active), say_plain(x->arena,
	    w->working), say_plain(x->arena, w->warps),
	    w->warps > 1 ? others : "have nothing to do") :
	    arena_format(x->arena, "one warp of the %s in a block does the "
	    "work (%s at work, on average); the others %s",
	    say_plain(x->arena, w->warps), say_plain(x->arena, w->working),
	    others);
	d->f.advice = "share the loop among the threads of the block (start at "
	    "threadIdx.x, step by blockDim.x); where each step needs the one "
	    "before it, use a parallel reduction or scan (cub::BlockReduce, "
	    "cub::BlockScan), or compute it once in a kernel of its own";
	d->f.gain_note = "Amdahl's law within the kernel: all of this work "
	    "shared by all threads of the block; what has to stay in order "
	    "stays";
	if (thread)
		lanes_idle(x, d);
	else
		lines_time(x, d);
	return rule_settle(x, d);
}

static double
sms_working(const struct rule_view *x)
{
	return x->load->spread * fmax(1, x->device->limits.sms);
}

static enum rule_state
report_block(struct rule_view *x, const struct work *w)
{
	struct draft *d = rule_found(x, NULL);

	set_fix(x, d, w, ONE_BLOCK);
	rule_evidence(x, d, "sms_working", sms_working(x),
	    "SMs at work in the mean cycle",
	    .derived = metric_table[METRIC_SM_CYCLES_ACTIVE_AVG].name,
	    .unit = "SM");
	rule_evidence(x, d, "blocks", rule_blocks(x->kernel),
	    "blocks of the grid", .attribute = "kernel activity record",
	    .unit = "block");
	d->f.confidence = CONF_MEDIUM;
	d->f.title = "one block does the work";
	d->f.summary = arena_format(x->arena, "%s of %s SMs at work, on "
	    "average: one block of %s, or hardly more, does the work when the "
	    "others have exited", say_plain(x->arena, sms_working(x)),
	    say_whole(x->arena, x->device->limits.sms),
	    say_whole(x->arena, rule_blocks(x->kernel)));
	d->f.advice = "share what that block does among all: where each step "
	    "needs the one before it, use a scan or reduction over the whole "
	    "grid (cub::DeviceScan, cub::DeviceReduce)";
	d->f.gain_note = "Amdahl's law: all of this work shared by the blocks "
	    "of the grid; what has to stay in order stays";
	lines_time(x, d);
	return rule_settle(x, d);
}

enum rule_state
rule_serial_kernel(struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	struct work w;

	if (!o->known || o->blocks_per_sm == 0)
		return rule_unmeasured(x, REASON_OCCUPANCY_UNKNOWN);
	look(x, &w);
	if (isnan(w.lanes.active) || isnan(w.there))
		return rule_lacks(x);
	if (x->load->time_s >= rule_value(x, "min_time") &&
	    rule_metric(x, METRIC_SM_CYCLES_ACTIVE_MAX) > 0 &&
	    rule_blocks(x->kernel) >= MANY_BLOCKS && sms_working(x) < ONE_SM)
		return report_block(x, &w);
	if (x->load->time_s < rule_value(x, "min_time") || w.warps < 1 ||
	    rule_threads(x->kernel) < 32 || w.working > ONE_WARP ||
	    w.working < NO_WARP)
		return RULE_CLEAN;
	if (w.lanes.active <= rule_value(x, "max_lanes")) {
		/* Warps whose lanes take turns all reside: a block of many
		 * warps with one resident has none of those. */
		if (isnan(w.lanes.divergent) && w.warps < MANY_WARPS)
			return rule_unmeasured(x, REASON_BRANCHES_UNCOUNTED);
		if (w.lanes.divergent >= rule_value(x, "max_divergent"))
			return RULE_CLEAN;	/* warp-divergence reports it */
		return report(x, &w, true);
	}
	/* If more blocks wait for the slots of warps that have exited,
	 * low-achieved-occupancy reports it. */
	if (w.warps < MANY_WARPS || o->waves >= 1 ||
	    w.there > rule_value(x, "max_warps"))
		return RULE_CLEAN;
	w.working = w.there;
	return report(x, &w, false);
}
