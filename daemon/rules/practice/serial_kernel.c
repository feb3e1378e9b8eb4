/*
 * serial-kernel: one thread or one warp of each block does the work, and the
 * others have exited or (for one thread) wait for it at a barrier; or one block
 * of the grid does the work after all others have exited: then hardly one SM
 * works in the mean cycle. Or all share the work but for a loop that the code lets one
 * thread of the block through to: a warp that executes it has one lane, so that the lanes
 * of the mean instruction tell the share of such instructions.
 *
 * One thread shows in the lanes of the mean instruction: close to one, without
 * divergent branches (32 lanes that take turns also execute one at a time, but that is
 * warp-divergence). That it is one thread of the block, not one of each warp, shows in
 * the warps: about one per block resides, or the others are sampled at a barrier. Whole
 * warps that wait at barriers for another are barrier-stalls, whatever that one does.
 */
#include <math.h>

#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/elected.h"
#include "rules/evidence/lanes.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/resident.h"
#include "source/slice.h"
#include "source/trips.h"

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

/* Instructions by which a warp takes part in a scan or reduction of its block: five
 * steps of a shuffle, a test and the operation, and the same for the sums of warps;
 * arithmetic. */
#define SCAN_INST 25

/* Bytes of a lane's word, if the bytes used were not counted. */

enum who { ONE_THREAD, ONE_WARP_OF_ALL, ONE_BLOCK };

struct work {
	struct lanes lanes;
	double warps;		/* of a block */
	double there;		/* of them, resident in the mean cycle */
	double waiting;		/* share of their time at barriers; NaN */
	double working;		/* there, without warps waiting at barriers */
};

static void
look(const struct rule_view *x, struct work *w)
{
	const struct code *c = x->kernel->code;

	w->lanes = lanes_of(x);
	w->warps = ceil(rule_threads(x->kernel) / 32.0);
	w->there = resident_warps(x);
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

/* The loops of one thread of each block. */
struct serial_part {
	double share;		/* of the warps' instructions; 0: none */
	double inst;		/* of a block, there */
	double access;		/* of these, the share that accesses memory */
};

/* Is loop ${l} executed by one thread of the block only? */
static bool
is_serial(struct electing *e, const struct sass_loop *l)
{
	unsigned one = ELECTED_LANE | ELECTED_WARP;

	return (elected_of(e, l->head) & one) == one;
}

/*
 * Adds up the instructions of such loops, and marks them. By counts: of a launch. Else
 * of one block, if the turns of each are known; *${known} tells. *${access}: how many of
 * them access memory.
 */
static double
loops_inst(const struct code *c, struct electing *e, const double *trips,
    struct mark *m, bool *known, double *access)
{
	double sum = 0;

	for (size_t n = 0; n < c->sass.loops; n++) {
		const struct sass_loop *l = &c->sass.loop[n];

		if (l->depth > 0 || !is_serial(e, l))
			continue;
		*known = *known && (c->counted || trips[n] > 0);
		for (uint32_t s = l->head; s <= l->tail; s++) {
			size_t at = inst_of_sass(c, s);
			double times = c->counted ? inst_executed(c, s) :
			    trips[n] > 0 ? trips[n] : 1;

			sum += times;
			if (c->sass.instruction[s].flags &
			    (SASS_LOAD | SASS_STORE | SASS_ATOMIC))
				*access += times;
			if (m != NULL && at != SIZE_MAX)
				m[at].weight = times;
		}
	}
	return sum;
}

/*
 * Without counts by instruction idle lanes tell the share: but others may idle where
 * branches diverge. So those must have been counted to be few, or the turns of the
 * loops be known, which execute no more than that.
 */
static struct serial_part
section_of(const struct rule_view *x, const struct work *w, struct mark *m)
{
	const struct code *c = x->kernel->code;
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	double blocks = rule_blocks(x->kernel), sum = 0, access = 0;
	struct trips_launch launch = { .threads = rule_threads(x->kernel) };
	struct serial_part section = { 0, 0, 0 };
	struct electing *e = NULL;
	struct slices *t = NULL;
	double *trips = NULL;
	bool known = true;

	if (c == NULL || !c->disassembled || !(inst > 0) || w->warps < 2 ||
	    c->sass.loops * c->sass.instructions > SASS_STEPS_MOST)
		return section;
	t = slices_new(&c->sass);
	trips = trips_find(&c->sass, &launch);
	if (t != NULL)
		e = elected_new(&c->sass, t);
	if (e != NULL && trips != NULL)
		sum = loops_inst(c, e, trips, m, &known, &access);
	if (sum > 0 && c->counted)
		section.share = sum / inst_total(c, SOURCE_INST);
	else if (sum > 0)
		section.share = (WARP - w->lanes.active) / (WARP - 1);
	if (sum > 0 && !c->counted && known)
		section.share = fmin(section.share, sum * blocks / inst);
	else if (!known && !(w->lanes.divergent < rule_value(x, "max_divergent")))
		section.share = 0;
	section.share = clamp01(or_zero(section.share));
	section.inst = section.share * inst / blocks;
	section.access = sum > 0 ? access / sum : 0;
	free(trips);
	elected_free(e);
	slices_free(t);
	return section;
}

/* All warps take part in what one thread did, whose loop was nearly all that its block
 * took one after the other. Each of its accesses, of one lane, takes a wavefront. */
static void
share_section(const struct rule_view *x, struct draft *d, const struct work *w,
    const struct serial_part *s)
{
	double left = fmin(1, 1.0 / WARP + w->warps * SCAN_INST / fmax(s->inst, 1));
	double own = s->inst * s->access * rule_blocks(x->kernel);
	double waves = load_waves(x->load);
	struct fix fix = FIX_NONE;

	fix.inst = 1 - s->share * (1 - left);
	if (waves > 0)
		fix.part[RES_L1] = 1 - fmin(1, own / waves) * (1 - 1.0 / WARP);
	fix.occupancy = fmin(1 + s->share * (w->warps - 1), SPEED_MOST);
	/* Where starting blocks is the next limit, a warp can have what a block had. */
	fix.part[RES_START] = fmax(fix.inst, 1 / w->warps);
	/* What has to stay in order is not known: halfway between the low view and all. */
	rule_fix_near(d, &fix, 0.5, 0.75);
}

static enum rule_state
ask_section(struct rule_view *x, const struct work *w)
{
	struct mark *m = marks_new(x);
	struct serial_part s = section_of(x, w, m);
	struct draft *d;

	if (s.share < rule_value(x, "min_section")) {
		free(m);
		return RULE_CLEAN;
	}
	d = rule_found(x, NULL);
	share_section(x, d, w, &s);
	rule_evidence(x, d, "section_ratio", s.share,
	    "executed instructions of a loop of one thread of each block",
	    .source = x->kernel->code->counted ? "measured" : "derived",
	    .from = metric_table[METRIC_THREAD_INST].name, .key = "min_section");
	rule_evidence(x, d, "lanes_per_inst", w->lanes.active,
	    "active lanes per instruction, of 32",
	    .derived = metric_table[METRIC_THREAD_INST].name,
	    .unit = "lane/inst");
	rule_evidence(x, d, "warps_per_block", w->warps, "warps of a block",
	    .attribute = "kernel activity record", .unit = "warp");
	d->f.confidence = CONF_MEDIUM;
	d->f.title = "one thread does part of the work";
	d->f.summary = arena_format(x->arena, "%s of the executed instructions are "
	    "those of a loop that one thread of the %u in a block goes through "
	    "(%s of 32 lanes active per instruction); the others wait for it",
	    say_percent(x->arena, s.share), rule_threads(x->kernel),
	    say_plain(x->arena, w->lanes.active));
	d->f.advice = "share the loop among the threads of the block (start at "
	    "threadIdx.x, step by blockDim.x); where each step needs the one "
	    "before it, use a parallel reduction or scan (cub::BlockReduce, "
	    "cub::BlockScan)";
	d->f.gain_note = "the instructions of that loop in full warps, with those "
	    "of a scan, and no other warp waiting; what has to stay in order "
	    "stays";
	lines_fill(x, d, m, NULL);
	free(m);
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
	    rule_threads(x->kernel) < 32 || w.working < NO_WARP)
		return RULE_CLEAN;
	if (w.working > ONE_WARP)
		return ask_section(x, &w);
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
	/* No warp has exited before its block: blocks have, as sm-imbalance says. */
	if (x->kernel->code != NULL && resident_together(x->kernel->code))
		return RULE_CLEAN;
	w.working = w.there;
	return report(x, &w, false);
}
