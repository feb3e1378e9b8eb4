/*
 * idle-lanes: lanes are idle although no branch diverges: threads that exited
 * early, guards that switch most of a warp off, loops over fewer than 32 elements.
 *
 * Or lanes are on, but half of the threads have nothing to load and nothing to store,
 * as guards switch off their accesses only: they execute the rest for nothing. Or half of
 * the warps of each block are behind the end of its row, and wait for the others.
 */
#include <math.h>

#include "facts/warp.h"
#include "rules/evidence/lanes.h"
#include "rules/evidence/spare.h"
#include "rules/evidence/vacant.h"

/* Of the threads: with more of them at work, two launches differ more in what they do
 * than in how many they are. */
#define USED_MOST 0.5

static enum rule_state
find_spare(struct rule_view *x)
{
	struct fix fix = FIX_NONE;
	struct spare s;
	struct draft *d;

	if (!spare_of(&s, x) || s.used > USED_MOST)
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	/* In the places of the others, as many more warps with data wait at once. */
	fix.inst = fix.shared_ld = fix.shared_st = fix.stall = s.left;
	fix.part[RES_L1] = fix.part[RES_START] = s.left;
	rule_fix_near(d, &fix, 0.5, 0.95);
	d->f.confidence = CONF_LOW;
	d->f.title = "threads without data";
	rule_evidence(x, d, "used_ratio", s.used,
	    "threads that load or store anything, at most",
	    .estimated = metric_table[METRIC_GLOBAL_LD_SECTORS].name);
	rule_evidence(x, d, "left_ratio", s.left,
	    "instructions of warps that have such threads",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name);
	d->f.summary = arena_format(x->arena, "%s of the threads load or store "
	    "anything, at most: the others execute %s of the instructions for "
	    "nothing", say_percent(x->arena, s.used),
	    say_percent(x->arena, 1 - s.left));
	d->f.advice = "launch no more threads than there are elements: blocks as "
	    "large as a row, rounded up to a warp, several short rows to a block "
	    "(blockDim.y) or a warp, or only the threads whose elements change";
	d->f.gain_note = "the same work without the warps that have no data";
	lanes_idle(x, d);
	return rule_settle(x, d);
}

/*
 * Warps without data execute what no guard stops, and keep their places until their block
 * ends: waiting for a row takes the places of so many warps, which rows that each have only
 * their own would share. A block of fewer warps starts faster.
 */
static enum rule_state
find_vacant(struct rule_view *x, const struct vacant *v)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	for (int i = RES_ISSUE; i <= RES_TENSOR; i++)
		fix.part[i] = v->left;
	fix.part[RES_L1] = v->waves;
	fix.part[RES_START] = fix.stall = v->used;
	rule_fix_near(d, &fix, 0.5, 0.95);
	d->f.confidence = CONF_MEDIUM;
	d->f.title = "warps without data";
	rule_evidence(x, d, "used_ratio", v->used,
	    "warps that load any of their block's row, at most",
	    .estimated = metric_table[METRIC_GLOBAL_LD_INST].name);
	rule_evidence(x, d, "loads_per_warp", v->loads,
	    "loads that a warp executes",
	    .derived = metric_table[METRIC_GLOBAL_LD_INST].name,
	    .unit = "inst/warp");
	rule_evidence(x, d, "left_ratio", v->left,
	    "instructions without those of the other warps",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name);
	d->f.summary = arena_format(x->arena, "%s of the warps load any of their "
	    "block's row, at most (%s loads a warp, of which all execute %s): "
	    "rows end within %u threads, the other warps wait for them",
	    say_percent(x->arena, v->used), say_plain(x->arena, v->loads),
	    say_plain(x->arena, v->always), rule_threads(x->kernel));
	d->f.advice = "launch blocks as large as a row, rounded up to a warp; or "
	    "give each row a warp, several rows to a block, whose lanes go "
	    "through it and add up by shuffles, without shared memory and "
	    "barriers; keep blocks for long rows, sorted apart";
	d->f.bad_code = "for (int k = threadIdx.x; k < n; k += blockDim.x)"
	    "   // 256 threads, n = 30";
	d->f.good_code =
	    "int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;\n"
	    "for (int k = threadIdx.x % 32; k < n; k += 32)   // a warp a row";
	d->f.gain_note = "the same work without the warps that have no data, in "
	    "whose places other rows wait for theirs";
	lanes_idle(x, d);
	return rule_settle(x, d);
}

/* The share of the L1 pipe's work that is not global accesses: these take what lines
 * their lanes touch, whether in few warps or many. */
static double
not_global(const struct load *l)
{
	const double *w = l->wavefronts;
	double all = 0;

	for (int i = 0; i < USER_COUNT; i++)
		all += w[i];
	return all > 0 ? 1 - (w[USER_GLOBAL_LD] + w[USER_GLOBAL_ST]) / all : 0;
}

/* Full warps are fewer, and so are blocks whose threads share a piece of work: several
 * pieces fit into one. Shared memory serves all lanes of a warp as fast as few. Of blocks
 * smaller than a warp, their size is at fault. */
static struct draft *
draft_fuller(struct rule_view *x, const struct lanes *l, double lanes)
{
	struct draft *d = lanes_draft(x, l, lanes);
	bool shares = x->kernel->shape.smem_static > 0 ||
	    x->kernel->shape.smem_dynamic > 0;

	for (int v = VIEW_LOW; v < VIEWS && shares && l->block >= WARP; v++) {
		struct fix *f = &d->fix[v];

		f->part[RES_START] = f->inst;
		f->part[RES_L1] = 1 - (1 - f->inst) * not_global(x->load);
	}
	return d;
}

/* A warp goes through a row together, and rows are shorter than it; ${loop}: in a loop. */
static enum rule_state
find_rows(struct rule_view *x, const struct lanes *l, bool loop)
{
	struct draft *d = draft_fuller(x, l,
	    32 * fmin(l->active / l->block, 1));

	d->f.confidence = CONF_MEDIUM;
	d->f.title = "rows shorter than a warp";
	d->f.summary = arena_format(x->arena, "%s of 32 lanes active per "
	    "instruction, on average, though the lanes of a warp go through a "
	    "row together: rows have fewer elements than the warp has lanes",
	    say_plain(x->arena, l->active));
	d->f.advice = "give a row as many lanes as it has elements, 4, 8 or 16 "
	    "(threadIdx.x % 8 goes through the row, shuffles with that width add "
	    "up), so that a warp has several rows; keep the whole warp for long "
	    "rows, sorted apart";
	d->f.bad_code = loop ? "for (int k = begin + lane; k < end; k += 32)" :
	    "if (lane < length[row])            // a row a warp";
	d->f.good_code = loop ?
	    "int part = threadIdx.x % 8;      // four rows a warp\n"
	    "for (int k = begin + part; k < end; k += 8)" :
	    "int part = threadIdx.x % 8;        // four rows a warp\n"
	    "for (int k = part; k < length[row]; k += 8)";
	lanes_idle(x, d);
	return RULE_FOUND;
}

enum rule_state
rule_idle_lanes(struct rule_view *x)
{
	struct lanes l = lanes_of(x);
	struct vacant vacant;
	double lanes;
	struct draft *d;
	bool loop, rows;

	if (isnan(l.active))
		return rule_lacks(x);
	if (vacant_most(&vacant, x))
		return find_vacant(x, &vacant);
	lanes = isfinite(l.on) ? fmin(l.on, l.active) : l.active;
	if (lanes >= rule_value(x, "max_lanes"))
		return find_spare(x);
	if (l.active >= 0.95 * l.block && l.block < 32)
		return RULE_CLEAN;	/* block-not-warp-multiple reports it */
	rows = l.active < rule_value(x, "max_lanes");
	loop = rows && lanes_walk_rows(x);
	rows = loop || (rows && lanes_end_rows(x));
	if (isnan(l.divergent) && !rows)
		return rule_unmeasured(x, REASON_BRANCHES_UNCOUNTED);
	if (l.divergent >= rule_value(x, "max_divergent") && !rows)
		return RULE_CLEAN;	/* warp-divergence reports it */
	if (rule_is_explained(x))
		return RULE_CLEAN;
	if (rows)
		return find_rows(x, &l, loop);
	d = draft_fuller(x, &l, lanes);
	d->f.summary = arena_format(x->arena, "%s of 32 lanes active per "
	    "instruction, on average, and no branch diverges: the others have "
	    "no work", say_plain(x->arena, lanes));
	d->f.advice = "map threads to elements one to one: let a warp take "
	    "several short rows at once, compact what remains active before "
	    "going on";
	lanes_idle(x, d);
	return RULE_FOUND;
}
