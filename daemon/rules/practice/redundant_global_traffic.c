/*
 * redundant-global-traffic: the same values are loaded repeatedly, and the pipe
 * or cache that delivers them limits the kernel, or the instructions that load
 * them do. The limit decides what to keep, and where:
 *
 *   L2                       a tile in shared memory, so that a block asks L2
 *                            for each value once
 *   the L1/shared data pipe, the tile, and registers: shared memory is behind
 *   by global loads          the same pipe, so that staging alone gains little
 *   the L1/shared data pipe, registers: several results per thread, so that a
 *   by shared loads          loaded value goes into several of them
 *   instructions, most of    registers: the same; a load's address is computed
 *   which load or compute    once for all results that it serves
 *   what to load
 *
 * A state that a block advances in steps, and keeps in memory from one to the next
 * (stepped.h), stays in registers and shared memory for all of them: its stores go, too.
 *
 * Where DRAM is the limit, and one launch reads several times as much from it as there is
 * memory (passes.h), the passes become one, whose results a thread keeps in registers.
 * What a cache could keep in another order is l2-thrash.
 *
 * reuse.h says how the repetition is counted. Whatever limits the kernel: a sum
 * that a loop keeps in memory, storing it in every iteration (stored.h),
 * belongs in a register.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/passes.h"
#include "rules/evidence/reuse.h"
#include "source/slice.h"
#include "rules/evidence/stepped.h"
#include "rules/evidence/stored.h"

/*
 * The share of the loads that stays. A matrix product takes two loads per
 * multiply-add. Staged, the value that all lanes share comes 16 bytes at a
 * time, which leaves three quarters, and the tile to fill. A block of n × n
 * results per thread takes 2 n loads for n × n multiply-adds, 1/n of one result's:
 * a quarter with 4 × 4, an eighth with 8 × 8. The middle view is what the advice
 * says, the tile and 4 × 4 results, or as many as leave each SM a block. On H200s
 * a tenth to a quarter of the L1 pipe's work stayed of seven such changes.
 */
static const double keep_global[VIEWS] = { 0.85, 0.25, 0.125 };
#define KEEP_TILE 0.75
#define KEEP_MOST 0.125
/* As instructions fewer stay: one of the two loads is of 16 bytes, a quarter of them. */
#define KEEP_WIDE 0.625

/*
 * Results per thread where a load feeds one product with a coefficient that all
 * threads share (a filter, a stencil): r results along the filter need the n
 * loads of one and r - 1 more. The low view has the tile only.
 */
static const double single_results[VIEWS] = { 1, 4, 16 };
#define SINGLE_LEAST 0.75

/* Four results per thread leave half of the shared loads. If a thread already has
 * several, which the ratio of arithmetic to these loads shows, it saves less. */
#define KEEP_RESULTS 0.5

/* Arithmetic pipe / L1 pipe, above which a value from shared memory goes into more than
 * one multiply-add: an SM starts four of these a cycle, and reads for one. */
#define FED_ONCE 0.25

/* The share of L2 traffic that stays: with tiles of twice the area; the lower bound.
 * Between them: a thread's results widen its block's tile by as much as they save. */
#define KEEP_L2_LOW 0.7
#define KEEP_L2_LEAST 0.1
/* Loads, what computes their addresses, and the rest of a loop are never all of it. */
#define GONE_MOST 0.8

/* A kernel with less arithmetic than that has none: tensor core kernels, copies. */
#define ARITHMETIC_LEAST 0.05

/* Utilisation from which on the busiest resource counts as the limit: Nsight
 * Compute, SpeedOfLight. */
#define BOUND_BUSY 0.6

/* Loads are instructions, too: the pipe that is nearly as busy as their issue. The one
 * program that it is for has 0.97; with 0.5 the rule says the same of 134 fresh ones. */
#define NEARLY 0.9

/* Loads behind a store that may change their data are issued one at a time.
 * Without the store the compiler issues those of several iterations together:
 * it unrolls a loop of unknown length by four. */
#define FLIGHT_UNROLLED 4

/* Of the accesses to global memory: fewer would leave nine tenths of the traffic. */
#define STORED_LEAST 0.10

/* What a tile still saves where a setting of the launch is at fault, too: half of it. */
#define YIELDED 0.5

enum use { USE_L2, USE_GLOBAL, USE_SHARED, USE_SERVED };

struct found {
	enum use use;
	bool loads, tiled;	/* whether global loads, shared loads can be fewer */
	double stepped;		/* the share of the stored sectors that a later step of
				 * the same block stores anew */
	struct reuse r;
};

static bool
is_filter(const struct reuse *r)
{
	return r->single >= SINGLE_LEAST;
}

/* The share that stays of the loads whose address a tile can hold. */
static double
keep_of(const struct rule_view *x, const struct reuse *r, enum gain_view v)
{
	double n = x->load->requests_ld / x->load->requests_st;
	double results = single_results[v];

	if (!is_filter(r) || !(n > 1))
		return v == VIEW_MID ? fmin(KEEP_TILE, fmax(keep_global[v],
		    1 / sqrt(x->load->blocks))) : keep_global[v];
	/* Without stores n is infinite. */
	return fmin(keep_global[v], 1 / results + (results - 1) / results / n);
}

/* The share of L2 traffic that stays: the halo that a block loads around its
 * own results comes from L2 again, and shrinks as each thread has more results
 * along the filter. */
static double
keep_halo(const struct reuse *r, double results)
{
	return r->l2_again > 1 ? (1 + (r->l2_again - 1) / results) /
	    r->l2_again : 1;
}

/* The share of the instructions that stays: each load has one product; all
 * others (addresses, coefficients) are needed once for all results of a thread.
 * ${gone}: the loads that go. */
static double
inst_of(const struct rule_view *x, double gone, enum gain_view v)
{
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	double rest = fmax(0, inst - 2 * x->load->requests_ld);

	gone += rest * (1 - 1 / single_results[v]);
	return inst > 0 ? 1 - fmin(GONE_MOST, gone / inst) : 1;
}

/* Loads that go take with them what computes their addresses. */
static void
set_served_fix(const struct rule_view *x, struct draft *d, const struct reuse *r)
{
	double of_l2 = fmin(1, x->load->l2_ld / x->load->l2_sectors);

	for (int v = VIEW_LOW; v < VIEWS; v++) {
		double gone = 1 - keep_of(x, r, (enum gain_view)v);
		struct fix *f = &d->fix[v];

		f->inst = 1 - r->served * gone;
		f->part[RES_L1] = 1 - r->part_global * r->kept * gone;
		if (v == VIEW_LOW)
			continue;
		f->stall = 1 - x->load->memory_stall * r->kept * gone;
		if (!is_filter(r))
			continue;
		f->part[RES_START] = f->grid = 1 / single_results[v];
		f->inst = fmin(f->inst, inst_of(x, x->load->requests_ld *
		    r->kept * gone, (enum gain_view)v));
		if (isfinite(of_l2))
			f->part[RES_L2] = 1 - of_l2 * (1 -
			    keep_halo(r, single_results[v]));
	}
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct found *o)
{
	const struct reuse *r = &o->r;
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	double shared_ld = rule_metric(x, METRIC_SHARED_LD_INST);
	double of_l2 = fmin(1, x->load->l2_ld / x->load->l2_sectors);
	double results = 1 - KEEP_RESULTS * (1 - fmin(1, r->arithmetic));
	/* Fewer threads with more results each may leave SMs idle. */
	bool small = x->kernel->occupancy.known &&
	    x->kernel->occupancy.waves < 2;
	double shared[VIEWS] = { small ? 1 : (1 + results) / 2, results,
	    KEEP_MOST };
	double least = fmax(KEEP_L2_LEAST, fmin(1, 1 / r->l2_again));
	double l2[VIEWS] = { KEEP_L2_LOW, is_filter(r) ?
	    keep_halo(r, single_results[VIEW_MID]) :
	    fmax(least, keep_of(x, r, VIEW_MID)), least };

	if (o->use == USE_SERVED) {
		set_served_fix(x, d, r);
		return;
	}
	for (int v = VIEW_LOW; v < VIEWS; v++) {
		struct fix *f = &d->fix[v];
		double gone = 0;

		if (isfinite(of_l2) && (o->use == USE_L2 ||
		    (o->loads && v != VIEW_LOW)))
			f->part[RES_L2] = 1 - of_l2 * (1 - l2[v]);
		/* Only a larger tile. */
		if (o->use == USE_L2 && v == VIEW_LOW)
			continue;
		if (o->loads) {
			double keep = 1 - (r->kept + r->along) *
			    (1 - keep_of(x, r, v));

			f->part[RES_L1] = 1 - r->part_global * (1 - keep);
			/* One wait for a load serves several results. */
			if (v != VIEW_LOW)
				f->stall = 1 - x->load->memory_stall *
				    (1 - keep);
			gone += fmax(x->load->requests_ld * (r->kept + r->along),
			    r->fed * inst) * (1 - keep_of(x, r, v) *
			    (is_filter(r) ? 1 : KEEP_WIDE));
		}
		if (o->tiled) {
			f->shared_ld = shared[v];
			gone += shared_ld * (1 - shared[v]);
		}
		/* The loads that go were instructions, too. */
		if (v != VIEW_LOW && inst > 0 && gone > 0)
			f->inst = 1 - fmin(GONE_MOST, gone / inst);
		if (v != VIEW_LOW && o->loads && is_filter(r)) {
			f->inst = fmin(f->inst, inst_of(x, gone, v));
			f->part[RES_START] = f->grid = 1 / single_results[v];
		}
	}
}

/* Without the stores that a later step overwrites, and the loads that bring back what they
 * stored. */
static void
set_stepped_fix(const struct rule_view *x, struct draft *d,
    const struct found *o)
{
	double of_l2 = fmin(1, x->load->l2_ld / x->load->l2_sectors);

	for (int v = VIEW_MID; v < VIEWS; v++) {
		struct fix *f = &d->fix[v];

		f->global_st = fmin(f->global_st, 1 - o->stepped);
		if (isfinite(of_l2))
			f->part[RES_L2] = fmin(f->part[RES_L2],
			    1 - of_l2 * o->r.kept * o->stepped);
	}
}

static void
give_bytes(const struct rule_view *x, struct draft *d, const struct found *o)
{
	const struct reuse *r = &o->r;
	bool l2 = o->use == USE_L2;

	rule_evidence(x, d, "reuse_ratio", l2 ? r->l2_again : r->again, l2 ?
	    "bytes loaded from L2 / distinct bytes, at most" :
	    "bytes loaded / distinct bytes, at most",
	    .derived = metric_table[METRIC_GLOBAL_LD_SECTORS].name, .key = l2 ?
	    "min_l2_reuse" : "min_reuse");
	rule_evidence(x, d, "loaded_bytes", l2 ? r->from_l2 : r->loaded, l2 ?
	    "bytes a launch loads from L2" : "bytes a launch loads",
	    .derived = metric_table[METRIC_GLOBAL_LD_SECTORS].name);
	rule_evidence(x, d, "unique_bytes", r->unique, r->by_memory ?
	    "different at most: all memory in use" :
	    "different at most: what came from DRAM, and the size of L2",
	    .derived = r->by_memory ? "memory activity records" :
	    metric_table[METRIC_DRAM_READ].name);
	if (r->by_code)
		rule_evidence(x, d, "kept_ratio", r->kept,
		    "loads whose address a tile can hold, of all",
		    .derived = "disassembly, warp instructions",
		    .key = "min_part");
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct found *o)
{
	const struct reuse *r = &o->r;
	enum resource res = o->use == USE_L2 ? RES_L2 : RES_L1;

	if (o->use != USE_SHARED)
		give_bytes(x, d, o);
	if (o->use == USE_SERVED) {
		rule_evidence(x, d, "served_ratio", r->served,
		    "loads and what computes their addresses, of all instructions",
		    .derived = "disassembly, warp instructions",
		    .key = "min_part");
		rule_evidence(x, d, "busy_ratio", x->load->busy,
		    arena_format(x->arena, "%s busy",
		    resource_said[x->load->limit]), .derived = "counters");
		return;
	}
	if (o->tiled && o->use != USE_L2) {
		rule_evidence(x, d, "shared_reuse_ratio", r->shared,
		    "loads from shared memory / stores to it",
		    .derived = metric_table[METRIC_SHARED_LD_INST].name,
		    .key = "min_shared_reuse");
		rule_evidence(x, d, "arithmetic_ratio", r->arithmetic,
		    "busiest arithmetic pipe / L1 pipe",
		    .derived = metric_table[METRIC_PIPE_FMA].name,
		    .key = "max_arithmetic");
	}
	rule_evidence(x, d, "busy_ratio", rule_busy(x, res),
	    arena_format(x->arena, "%s busy", resource_said[res]),
	    .derived = metric_table[res == RES_L2 ? METRIC_L2_PCT :
	    METRIC_LSU_WAVEFRONTS].name);
}

static void
describe_l2(struct rule_view *x, struct draft *d, const struct reuse *r)
{
	d->f.title = "the same values come from L2 again and again";
	d->f.summary = arena_format(x->arena, "a launch loads %s from L2, of "
	    "which at most %s is distinct: each byte %s times or more",
	    say_bytes(x->arena, r->from_l2), say_bytes(x->arena, r->unique),
	    say_plain(x->arena, r->l2_again));
	d->f.advice = "let a block load what its threads share once, into a "
	    "tile in shared memory, and make the tile large: with twice the "
	    "side half as much comes from L2. Where the kernel walks its data "
	    "several times, make all passes over one piece before the next";
	d->f.gain_note = "a quarter of what these loads take from L2 stays, as with "
	    "tiles of four times the side, from which each thread has 4 × 4 "
	    "results; how large a tile can be is not known";
}

static void
describe_global(struct rule_view *x, struct draft *d, const struct found *o)
{
	const struct reuse *r = &o->r;

	d->f.summary = arena_format(x->arena, "a launch loads %s, of which at "
	    "most %s is distinct: each byte %s times or more%s",
	    say_bytes(x->arena, r->loaded), say_bytes(x->arena, r->unique),
	    say_plain(x->arena, r->again), o->use == USE_SERVED ?
	    arena_format(x->arena, "; loading it, and computing the addresses, "
	    "takes %s of all instructions", say_percent(x->arena, r->served)) :
	    o->tiled ? "; a part of the data "
	    "goes through shared memory already" : "");
	if (is_filter(r)) {
		d->f.advice = "let each thread compute several neighbouring "
		    "results (4 or more along the filter) from values that it "
		    "holds in registers: it loads a few values more, and each "
		    "goes into all the results that need it. Along the rows, "
		    "load them as float4 or from a tile in shared memory, so "
		    "that neighbouring threads go on loading neighbouring data";
		d->f.gain_note = "four results a thread: the loads of one and "
		    "three more for all four. The grid then has four times "
		    "fewer threads";
		return;
	}
	d->f.advice = arena_format(x->arena, "%s, and let each thread compute "
	    "several results (4 in a column, a block of 4 × 4 or 8 × 8) from "
	    "values that it holds in registers. Shared memory is behind the "
	    "same pipe: the tile alone gains less than both", o->tiled ?
	    "bring what still comes from global memory into the tile in shared "
	    "memory, too" : "load a tile into shared memory once per block and "
	    "read it from there");
	d->f.gain_note = "the tile, and 4 × 4 results a thread, which leave a "
	    "quarter of the loads; 8 × 8 leave an eighth";
}

static void
describe_shared(struct rule_view *x, struct draft *d, const struct reuse *r)
{
	bool several = r->arithmetic > FED_ONCE;

	d->f.title = several ? "few results per thread: shared-memory-bound" :
	    "one result per thread: shared-memory-bound";
	d->f.summary = arena_format(x->arena, "what is in shared memory is "
	    "read %s times; its pipe is %s busy, arithmetic %s",
	    say_plain(x->arena, r->shared),
	    say_percent(x->arena, rule_busy(x, RES_L1)),
	    say_percent(x->arena, r->arithmetic * rule_busy(x, RES_L1)));
	d->f.advice = several ? "let each thread compute more results (a block of "
	    "8 × 8, by a larger tile for the same threads): a value that was read "
	    "from shared memory into a register then goes into more "
	    "multiply-adds; read 4 neighbouring values with one access of 16 "
	    "bytes" : "let each thread compute several results (4 in a column, "
	    "a block of 4 × 4 or 8 × 8): a value that was read from shared "
	    "memory into a register then goes into several multiply-adds; "
	    "read 4 neighbouring values with one access of 16 bytes";
	d->f.gain_note = several ? "a thread has several results already, as its "
	    "arithmetic shows; 8 × 8 leave half of the loads of 4 × 4. The grid "
	    "then has as many times fewer threads" :
	    "four results a thread, which leave half of the loads "
	    "of one; 8 × 8 leave an eighth. The grid then has as many times "
	    "fewer threads";
}

static void
describe_stepped(struct rule_view *x, struct draft *d, const struct found *o)
{

	d->f.title = "a state kept in memory from step to step";
	d->f.summary = arena_format(x->arena, "%s; %s of what is stored a later step "
	    "of the same block stores anew", d->f.summary,
	    say_percent(x->arena, o->stepped));
	d->f.advice = "keep the elements of each thread in registers over all steps of "
	    "the loop, several neighbouring ones a thread, exchange only those at "
	    "the borders through shared memory (two buffers, one barrier a step), "
	    "and store them once behind the loop: no other block reads them in "
	    "between";
	d->f.gain_note = "a quarter of the loads, from shared memory, and the stores "
	    "of the last step only";
	d->f.bad_code = "for (int s = 0; s < steps; s++) {\n"
	    "    b[t] = f(a[t - 1], a[t], a[t + 1]);\n    __syncthreads();\n"
	    "    swap(a, b);\n}";
	d->f.good_code = "float v = a[t];\nfor (int s = 0; s < steps; s++) {\n"
	    "    sh[s & 1][t] = v;\n    __syncthreads();\n"
	    "    v = f(sh[s & 1][t - 1], v, sh[s & 1][t + 1]);\n}\na[t] = v;";
}

/* Without the code, the loads may be a gather or a table, which no tile holds,
 * or of one address in every iteration of a loop: severity low. */
static void
doubt(struct rule_view *x, struct draft *d, const struct found *o)
{
	d->cap = SEV_LOW;
	d->f.gain_note = arena_format(x->arena, "%s; %s", o->use == USE_SHARED ?
	    "that what is read has a place that the program's own index gives, "
	    "and is no look-up in a table" : "that a tile can hold what is "
	    "loaded, and it is no gather (where it is one address in every "
	    "turn of a loop, const and __restrict__ are enough)",
	    d->f.gain_note);
}

static enum rule_state
report(struct rule_view *x, const struct found *o, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);

	set_fix(x, d, o);
	if (o->stepped > 0)
		set_stepped_fix(x, d, o);
	/* A block of another shape, or a larger L1, needs no other code, and comes first:
	 * of rows that a block breaks, the lines that an access touches go by that. */
	if (rule_said(x, "block-shape-breaks-rows") ||
	    rule_said(x, "cache-config-mismatch"))
		d->fix[VIEW_MID] = fix_part(&d->fix[VIEW_MID], YIELDED);
	d->f.confidence = o->r.by_code ? CONF_MEDIUM : CONF_LOW;
	give_evidence(x, d, o);
	if (o->use == USE_L2)
		describe_l2(x, d, &o->r);
	else if (o->use == USE_GLOBAL || o->use == USE_SERVED)
		describe_global(x, d, o);
	else
		describe_shared(x, d, &o->r);
	if (o->stepped > 0)
		describe_stepped(x, d, o);
	if (!o->r.by_code)
		doubt(x, d, o);
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section "
	    "MemoryWorkloadAnalysis --section MemoryWorkloadAnalysis_Chart "
	    "--section SourceCounters --import-source yes");
	lines_fill(x, d, m, o->use == USE_SHARED ? "%s wavefronts per load" :
	    "%s sectors per request");
	return rule_settle(x, d);
}

/* --- a sum in memory ------------------------------------------------------ */

/* The L1 pipe's work without those accesses, relative to its work if they had
 * no sectors but were still issued: the latter is what fewer sectors in struct
 * fix mean. */
static double
keep_l1(const struct rule_view *x, const struct stored *s)
{
	const struct load *l = x->load;
	const double *w = l->wavefronts;
	double st = fmin(1, s->stores / l->requests_st);
	double ld = fmin(1, s->loads / fmax(1, l->requests_ld)), all = 0, after;

	for (int i = 0; i < USER_COUNT; i++)
		all += w[i];
	after = all - st * w[USER_GLOBAL_ST] - ld * w[USER_GLOBAL_LD];
	all -= fmax(0, st * (w[USER_GLOBAL_ST] - l->requests_st)) +
	    fmax(0, ld * (w[USER_GLOBAL_LD] - l->requests_ld));
	return all > 0 && isfinite(after) ? clamp01(after / all) : 1;
}

/*
 * L2 counts a store twice if it passes between its partitions: measured on an
 * H200, half of the stores of a loop that does little else. struct fix would
 * take them for fills from DRAM.
 */
static double
keep_l2(const struct rule_view *x, const struct stored *s)
{
	const struct load *l = x->load;
	double asked = l->l2_ld + l->l2_st + l->l2_local;
	double fills = (or_zero(l->dram_read) + or_zero(l->dram_write)) / 32;
	double twice = fmin(fmax(0, l->l2_sectors - asked - fills),
	    l->l2_st / 2);
	double gone = fmin(1, s->store_sectors / l->st_sectors);
	double left = l->l2_sectors - l->l2_st * gone;

	return left > 0 && isfinite(twice) ?
	    clamp01(1 - twice * gone / left) : 1;
}

/* The fix for a value that stays in a register: certain, except for the loads that
 * can then be issued ahead. For a product whose operands are also loaded
 * repeatedly, the high view includes the tile: whoever rewrites the loop does both. */
static void
set_stored_fix(const struct rule_view *x, struct draft *d,
    const struct stored *s, const struct found *o)
{
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	double flight[VIEWS] = { 1, FLIGHT_UNROLLED / 2, FLIGHT_UNROLLED };

	if (o->loads)
		set_fix(x, d, o);
	for (int v = VIEW_LOW; v < VIEWS; v++) {
		struct fix *f = &d->fix[v], own = FIX_NONE;

		if (v != VIEW_HIGH)
			*f = own;
		own.global_st = 1 - fmin(1, s->store_sectors /
		    x->load->st_sectors);
		if (s->load_sectors > 0)
			own.global_ld = 1 - fmin(1, s->load_sectors /
			    x->load->ld_sectors);
		if (inst > 0)
			own.inst = 1 - fmin(0.9, (s->stores + s->loads) / inst);
		own.part[RES_L1] = keep_l1(x, s);
		own.part[RES_L2] = keep_l2(x, s);
		own.flight = flight[v];
		fix_merge(f, &own);
	}
}

static void
describe_stored(struct rule_view *x, struct draft *d, const struct stored *s,
    const struct found *o)
{
	d->f.title = "a sum kept in memory";
	d->f.summary = arena_format(x->arena, "%s of the accesses to global "
	    "memory store a place that the next turn of the loop stores "
	    "again%s", say_percent(x->arena, (s->stores + s->loads) / s->all),
	    s->loads > 0 ? ", or load what the last one stored" : "");
	d->f.advice = arena_format(x->arena, "add up in a local variable, and "
	    "store it once behind the loop (float sum = c[i]; for (…) sum += …; "
	    "c[i] = sum): the compiler cannot, as the store might change what "
	    "the loop reads%s", o->loads ? ". Then load a tile into shared "
	    "memory once per block, and let each thread compute several results "
	    "(4 × 4 or 8 × 8) from it; a product of matrices is in cuBLAS" : "");
	d->f.gain_note = arena_format(x->arena, "the stores of all turns but "
	    "the last gone%s; the loads behind them then go ahead, as many as "
	    "the compiler unrolls", s->loads > 0 ? ", and the loads" : "");
}

static enum rule_state
report_stored(struct rule_view *x, const struct stored *s,
    const struct found *o, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);

	set_stored_fix(x, d, s, o);
	d->f.confidence = CONF_MEDIUM;
	rule_evidence(x, d, "stored_again_ratio", (s->stores + s->loads) /
	    s->all, "accesses to a place that the next turn stores again, of "
	    "all to global memory",
	    .derived = "disassembly, warp instructions");
	rule_evidence(x, d, "stored_sectors", s->store_sectors,
	    "sectors that these store",
	    .measured = source_metric_table[SOURCE_GLOBAL_SECTORS].name,
	    .unit = "sector");
	if (o->loads)
		give_bytes(x, d, o);
	describe_stored(x, d, s, o);
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section "
	    "MemoryWorkloadAnalysis --section SourceCounters "
	    "--import-source yes");
	lines_fill(x, d, m, "%s sectors per request");
	return rule_settle(x, d);
}

/* Does a loop keep a sum in memory, and does it matter? */
static bool
is_stored(struct rule_view *x, struct found *o)
{
	const struct code *c = x->kernel->code;
	struct slices *t = slices_new(&c->sass);
	struct mark *m = marks_new(x);
	bool found = false;
	struct stored s;

	if (t != NULL && m != NULL) {
		stored_of(&s, c, t, m);
		found = s.stores >= STORED_LEAST * s.all &&
		    s.stores > 0 && s.store_sectors > 0 &&
		    x->load->st_sectors > 0 && report_stored(x, &s, o, m) ==
		    RULE_FOUND;
	}
	slices_free(t);
	free(m);
	return found;
}

/* Could a loop keep a sum in memory, had its instructions been counted? */
static bool
may_be_stored(const struct rule_view *x, const struct reuse *r)
{
	const struct code *c = x->kernel->code;

	if (r->by_code || c == NULL || !c->disassembled ||
	    !(x->load->requests_st >= STORED_LEAST * (x->load->requests_ld +
	    x->load->requests_st)))
		return false;
	for (uint32_t s = 0; s < c->sass.instructions; s++)
		if (c->sass.instruction[s].flags & SASS_STORE &&
		    c->sass.instruction[s].space == SPACE_GLOBAL &&
		    sass_loop_of(&c->sass, s) != NULL)
			return true;
	return false;
}

/* --- passes over all memory ------------------------------------------------ */

/* All passes in one read each byte once; at worst half of what is read again goes. The
 * loads go with it, but not the arithmetic. */
static void
set_passes_fix(const struct rule_view *x, struct draft *d, const struct passes *p)
{
	double write = isfinite(x->load->dram_write) ? x->load->dram_write : 0;
	double left[VIEWS] = { 0.5 + 0.5 / p->again, 1 / p->again, 1 / p->again };

	for (int v = 0; v < VIEWS; v++) {
		d->fix[v].part[RES_DRAM] = load_dram(p->dram * left[v], write) /
		    load_dram(p->dram, write);
		d->fix[v].global_ld = left[v];
	}
}

/* Where l2-thrash found the same, it says more: the memory is not much larger than L2. */
static bool
finds_passes(struct rule_view *x)
{
	struct passes p;
	struct draft *d;

	if (!passes_of(&p, x) || !(p.again >= rule_value(x, "min_passes")) ||
	    rule_said(x, "l2-thrash"))
		return false;
	d = rule_found(x, "passes");
	set_passes_fix(x, d, &p);
	d->f.title = "all data read from DRAM again and again";
	rule_evidence(x, d, "passes_ratio", p.again,
	    "bytes read from DRAM in a launch / memory in use",
	    .derived = metric_table[METRIC_DRAM_READ].name, .key = "min_passes");
	rule_evidence(x, d, "memory_bytes", p.memory, "memory in use, at its peak",
	    .measured = "memory activity records");
	d->f.summary = arena_format(x->arena, "a launch reads %s from DRAM, %s times "
	    "all the memory in use (%s)", say_bytes(x->arena, p.dram),
	    say_plain(x->arena, p.again), say_bytes(x->arena, p.memory));
	d->f.advice = "make one pass of several: a thread that loads an element uses it "
	    "for all results that need it, with a sum for each in a register; where "
	    "each block reads all data, let it make more results of them";
	d->f.gain_note = "each byte read from DRAM once by a launch; the arithmetic stays";
	d->f.bad_code = "for (int t = 0; t < T; t++) {\n    float s = 0;\n"
	    "    for (int i = 0; i < n; i++)\n        s += y[i][t] * x[i * m + q];\n"
	    "    best = fmaxf(best, s);\n}";
	d->f.good_code = "float s[T] = { };\nfor (int i = 0; i < n; i++) {\n"
	    "    float v = x[i * m + q];      // once\n"
	    "    for (int t = 0; t < T; t++)\n        s[t] += y[i][t] * v;\n}";
	lines_loads(x, d);
	return rule_settle(x, d) == RULE_FOUND;
}

/* --- what limits ---------------------------------------------------------- */

/* Loads that use little of their sectors are uncoalesced first of all. Many sectors per
 * request may also be wide loads, which cannot be told apart without the bytes used. */
static bool
is_coalesced(const struct rule_view *x)
{
	return !(x->load->ld_sectors / x->load->requests_ld > 4.5) ||
	    rule_metric(x, METRIC_GLOBAL_LD_BYTES_PER_SECTOR) >= 16;
}

/* Is data missing without which redundancy in the limiting resource's work
 * cannot be excluded? */
static bool
is_unknown(const struct rule_view *x, const struct reuse *r, double least)
{
	if (isnan(x->load->ld_sectors) || isnan(x->load->requests_ld) ||
	    isnan(rule_metric(x, METRIC_SHARED_LD_WAVEFRONTS)))
		return true;
	if (r->part_global >= least)
		return isnan(r->again) || (!r->by_code && !is_coalesced(x) &&
		    isnan(rule_metric(x, METRIC_GLOBAL_LD_BYTES_PER_SECTOR)));
	return r->part_shared >= least &&
	    (isnan(rule_metric(x, METRIC_SHARED_LD_INST)) ||
	    isnan(rule_busy(x, RES_FMA)));
}

static bool
is_reloaded(const struct rule_view *x, const struct reuse *r)
{
	return r->again >= rule_value(x, "min_reuse") &&
	    r->kept >= rule_value(x, "min_part") &&
	    (r->by_code || is_coalesced(x));
}

static bool
is_reread(const struct rule_view *x, const struct reuse *r)
{
	return r->shared >= rule_value(x, "min_shared_reuse") && !r->table &&
	    r->arithmetic <= rule_value(x, "max_arithmetic") &&
	    r->arithmetic >= ARITHMETIC_LEAST &&
	    !reuse_conflicted(x, rule_value(x, "max_conflicts"));
}

static enum rule_state
judge(struct rule_view *x, struct found *o, const struct mark *global,
    const struct mark *shared)
{
	const struct reuse *r = &o->r;
	double least = rule_value(x, "min_part"), part;

	if (rule_is_bound(x, RES_L2)) {
		o->use = USE_L2;
		if (isnan(r->l2_again) || isnan(x->load->l2_sectors))
			return rule_lacks(x);
		return o->loads && r->l2_again >= rule_value(x, "min_l2_reuse")
		    && x->load->l2_ld >= least * x->load->l2_sectors ?
		    report(x, o, global) : RULE_CLEAN;
	}
	o->tiled = is_reread(x, r) && rule_is_bound(x, RES_L1);
	part = (o->loads ? r->part_global : 0) +
	    (o->tiled ? r->part_shared : 0);
	if (part < least)
		return is_unknown(x, r, least) ? rule_lacks(x) : RULE_CLEAN;
	o->use = o->loads && r->part_global >= least * part ? USE_GLOBAL :
	    USE_SHARED;
	return report(x, o, o->use == USE_GLOBAL ? global : shared);
}

/* Are instructions what the kernel is busiest with, and busy enough to explain a part
 * of the time? Not the multiply-adds: those stay. */
static bool
is_issuing(const struct rule_view *x)
{
	int limit = x->load->limit;

	return (limit == RES_ISSUE || limit == RES_ALU || limit == RES_LSU) &&
	    x->load->bound > 0;
}

/* Are most of the instructions that limit the kernel those that load the same again? */
static bool
is_served(const struct rule_view *x, const struct found *o)
{
	return is_issuing(x) && o->loads && !o->r.tensor &&
	    o->r.served >= rule_value(x, "min_part");
}

/* Is L1 the busiest unit, or nearly as busy as the issue of instructions, of which its
 * loads are a part, and busy enough to explain a part of the time? Global loads are what
 * the rest waits for, too; shared loads answer in few cycles, so that such waiting is of
 * another kind. The prediction has both parts. */
static bool
is_busiest(const struct rule_view *x, const struct found *o)
{
	bool first = x->load->limit == RES_L1 || (x->load->limit == RES_ISSUE &&
	    rule_busy(x, RES_L1) >= NEARLY * x->load->busy);

	return first && x->load->bound > 0 && o->loads;
}

/* May L2 or L1 be the limit after all? Another resource may seem the busiest because
 * L2's work was not counted, or L1's only as far as the counted accesses need it. */
static bool
may_be_bound(const struct rule_view *x)
{
	bool l1 = isfinite(rule_metric(x, METRIC_LSU_WAVEFRONTS)) &&
	    isfinite(x->load->requests_ld);

	return !(x->load->busy >= BOUND_BUSY && x->load->limit != RES_L1) &&
	    (!l1 || isnan(rule_busy(x, RES_L2)));
}

static enum rule_state
report_served(struct rule_view *x, struct found *o, const struct mark *m)
{
	o->use = USE_SERVED;
	return report(x, o, m);
}

/* The share of the stores of a state that fits into the SM. */
static double
stepped_share(const struct rule_view *x)
{
	const struct record_DEVICE *l = &x->device->limits;
	double warps = x->load->occupancy * l->max_warps_per_sm;
	struct stepped_state k;

	stepped_of(&k, x->kernel->code);
	return k.part >= STORED_LEAST && warps * WARP * k.bytes <=
	    l->smem_per_sm ? k.part : 0;
}

enum rule_state
rule_redundant_global_traffic(struct rule_view *x)
{
	enum rule_state state = RULE_NOT_MEASURED;
	struct mark *global, *shared;
	struct found o = { 0 };

	if (rule_is_debug(x))
		return rule_unmeasured(x, REASON_DEBUG_BUILD);
	if (x->load->limit >= 0 && finds_passes(x))
		return RULE_FOUND;
	if (x->load->limit < 0 || isnan(rule_busy(x, RES_L1)))
		return rule_lacks(x);
	global = marks_new(x);
	shared = marks_new(x);
	reuse_of(&o.r, x, global, shared);
	o.loads = is_reloaded(x, &o.r);
	if (o.loads && o.r.by_code)
		o.stepped = stepped_share(x);
	if (o.r.by_code && (global == NULL || shared == NULL))
		x->arena->failed = true;
	else if (!x->arena->failed && o.r.by_code && is_stored(x, &o))
		state = RULE_FOUND;
	else if (!x->arena->failed && o.r.by_code && is_served(x, &o))
		state = report_served(x, &o, global);
	else if (!rule_is_bound(x, RES_L1) && !rule_is_bound(x, RES_L2) &&
	    !is_busiest(x, &o))
		state = may_be_bound(x) || (!o.r.by_code && is_served(x, &o)) ?
		    rule_lacks(x) : RULE_CLEAN;
	else if (!x->arena->failed)
		state = (o.r.by_code ? o.r.tensor : rule_is_blind(x)) ?
		    RULE_CLEAN : judge(x, &o, global, shared);
	free(global);
	free(shared);
	return state == RULE_CLEAN && may_be_stored(x, &o.r) ? rule_lacks(x) :
	    state;
}
