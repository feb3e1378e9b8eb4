/*
 * grid-too-small: the grid has too few blocks to give every SM work, or so few
 * that warp slots stay empty although no resource is saturated. Of a library's kernels
 * only a framework's reductions are judged, whose caller chooses the axis, operators whose
 * shape alone decides how many blocks they have (group normalisation), and the
 * decompositions of small matrices, round by round, of which it can ask for others.
 */
#include <math.h>

#include "rules/engine/rule.h"
#include "rules/evidence/decomposed.h"
#include "rules/evidence/divided.h"
#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/operator.h"
#include "rules/evidence/steps.h"
#include "rules/evidence/strides.h"

/* A library's reduction has few blocks below this share of the SMs; arithmetic: others
 * save half of its time at most. */
#define FEW_SMS 0.5

/* Of the time of small decompositions and of the gaps in front of their kernels so much goes
 * by another driver, by eigenvalues in place of singular values, on the CPU or with many in a
 * call. Assumed: which of these is open to the program no record says; half is a factor of
 * two, the first digit of what they bring. */
static const double decomposed_goes[VIEWS] = { 0.2, 0.5, 0.8 };

/* Of what the idle SMs would take over of an operator so much goes where another kernel takes
 * its place. Arithmetic: one more pass over the data, or a memory that few blocks had to
 * themselves, is a part of it; a compiler that keeps the operator as it is saves nothing. */
static const double shaped_goes[VIEWS] = { 0.3, 0.8, 1 };

#define WARPS_MOST 64.0		/* that an SM holds: the largest factor for one */

/* Of the SMs that have blocks, the share busy in the mean cycle. If fewer are,
 * the others do not idle for want of blocks. */
#define IDLE_MOST 0.25

/* The speed-up by spreading: threads that run a loop can share its iterations
 * with others; without a loop, whole warps can only move to other SMs. */
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

/* Is the same function also launched with other grids? Then the number of
 * blocks follows the amount of work. */
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

/* How the work of the few blocks can be spread over more blocks. */
struct room {
	double sms;		/* SMs of the GPU / SMs that have blocks */
	double moved;		/* factor for the number of blocks, with fewer
				 * warps each */
	double threads;		/* factor for the threads, which share the
				 * iterations of loops; INFINITY: any number */
	double left;		/* share of a warp's work that no other thread
				 * can take over */
	enum division by;	/* how the iterations are shared */
};

/* Are the warps of a block independent: no shared memory and no barrier? */
static bool
has_loose_warps(const struct kernel *k)
{
	const struct code *c = k->code;

	if (k->shape.smem_static > 0 || k->shape.smem_dynamic > 0)
		return false;
	if (c == NULL || !c->disassembled)
		return true;
	for (size_t i = 0; i < c->sass.instructions; i++)
		if (c->sass.instruction[i].flags & SASS_BARRIER)
			return false;
	return true;
}

static struct room
room_of(const struct rule_view *x, double blocks, double sms)
{
	struct room r = { .sms = fmax(1, sms / blocks), .moved = 1,
	    .threads = 1 };
	struct divided d;

	if (has_loose_warps(x->kernel))
		r.moved = fmin(r.sms, ceil(rule_threads(x->kernel) / 32.0));
	if (strides_shared(x->kernel->code) && !follows_work(x)) {
		r.threads = INFINITY;
		return r;
	}
	d = divided_of(x);
	if (d.share > 0 && d.ways > 1) {
		/* A scan of the whole grid takes two more kernels, or as long a
		 * wait, and passes the data twice. */
		r.threads = d.by == DIVIDED_SCAN ? fmax(1, fmin(d.ways,
		    x->load->time_s / x->load->fixed_s)) : d.ways;
		r.left = 1 - d.share;
		r.by = d.by;
	}
	return r;
}

/* The fix for the blocks that ${r} allows, up to ${more} for each SM: first more
 * threads that share iterations, then warps moved to blocks of their own. Moving
 * warps does not put more in flight: their waiting takes as long as before. */
static struct fix
fix_room(const struct room *r, double more)
{
	struct fix fix = FIX_NONE;
	double threads = fmin(r->threads, r->sms * more);
	double moved = fmin(r->moved, r->sms / fmin(threads, r->sms));
	double shared = threads / (1 + (threads - 1) * r->left);

	/* For the sums of the parts, and again with what lies before each. */
	if (r->by == DIVIDED_SCAN)
		shared = fmax(1, shared / 2);
	fix.grid = threads;
	fix.blocks = moved;
	fix.spread = fmin(shared, r->sms) * moved;
	fix.occupancy = fmax(1, threads / r->sms);
	return fix;
}

/*
 * Few blocks do not prove that there is work for more: an algorithm whose steps depend
 * on each other has none. The middle view spreads the work that code and blocks show to
 * be independent, the low view has half of that saving. Without such work, the middle
 * view spreads half, the low view nothing. Returns whether independent work was shown.
 */
static bool
set_fix(const struct rule_view *x, struct draft *d, const struct room *r,
    double blocks, double sms)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double waves = o->known ? o->waves : NAN;
	struct fix fix = FIX_NONE;

	fix.spread = spread_of(x, blocks, sms);
	fix.grid = fix.spread;
	if (waves > 0 && waves < 1) {
		fix.occupancy = fmin(WARPS_MOST, fmax(1, 1 / waves /
		    fix.spread));
		fix.grid = fix.spread * fix.occupancy;
	}
	rule_fix(d, &fix, 0.5, 0.5);
	d->fix[VIEW_MID].occupancy = d->fix[VIEW_LOW].occupancy = 1;
	if (r->moved == 1 && r->threads == 1) {
		d->fix[VIEW_LOW] = (struct fix)FIX_NONE;
		return false;
	}
	/* The high view fills every warp slot, the middle view the geometric
	 * mean of that and one block per SM; shared iterations fill all. */
	fix = fix_room(r, r->threads > 1 ? fix.occupancy :
	    sqrt(fix.occupancy));
	/* Moved warps may wait as long as before. */
	/* A block's scan leaves the other SMs idle, and the grid's waits for itself:
	 * halfway, as factors, between as now and that. */
	if (r->threads > 1 && r->by == DIVIDED_SCAN)
		fix = fix_power(&fix, 0.5);
	if (r->threads > 1 || gain_time(x->load, &fix, VIEW_MID) <
	    gain_time(x->load, &d->fix[VIEW_MID], VIEW_MID))
		d->fix[VIEW_MID] = fix;
	d->fix[VIEW_LOW] = fix_room(r, 1);
	d->fix[VIEW_LOW].occupancy = 1;
	d->fix[VIEW_LOW] = fix_part(&d->fix[VIEW_LOW], 0.5);
	return true;
}

static const char *
how_to(const struct rule_view *x, const struct room *r)
{
	if (r->threads > 1 && r->by == DIVIDED_SCAN)
		return "its loop only needs the sum of all before: a scan, by a "
		    "block or the whole grid (cub::BlockScan, cub::DeviceScan)";
	if (r->threads > 1 && r->by == DIVIDED_SUMS)
		return "divide its loop's iterations among more threads, whose "
		    "sums are added in the end: atomicAdd, or a second kernel";
	if (r->threads > 1)
		return "divide its loop's iterations, which are "
		    "independent, among more threads";
	if (r->moved > 1)
		return "smaller blocks: the warps of one do not cooperate";
	return rule_threads(x->kernel) > 256 ? "smaller blocks, and less work "
	    "per thread" : "less work per thread, a second dimension of the "
	    "problem in the grid, or other kernels beside it on streams";
}

/* Text: as many blocks as fill the GPU; if warps can only be moved, at most one
 * block per warp. */
static const char *
how_many(const struct rule_view *x, const struct room *r, double blocks,
    double sms)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double full = o->known && o->blocks_per_sm > 0 ?
	    sms * o->blocks_per_sm : sms * 2;
	double most = blocks * ceil(rule_threads(x->kernel) / 32.0);

	if (r->threads == 1 && r->moved > 1 && most < full)
		return arena_format(x->arena, "up to %s blocks",
		    say_whole(x->arena, most));
	return arena_format(x->arena, "%s blocks or more",
	    say_whole(x->arena, full));
}

/* The most threads that a block of the kernel can have, by its registers; whole warps. */
static double
threads_most(const struct rule_view *x)
{
	double most = x->device->limits.max_threads_per_block;
	/* They are allocated by eights: CUDA C++ Programming Guide, as occupancy_own.c. */
	double each = ceil(x->kernel->shape.regs / 8.0) * 8;

	if (each > 0)
		most = fmin(most, x->device->limits.regs_per_block / each);
	return floor(most / 32) * 32;
}

/*
 * Do the threads of its few blocks work together, at barriers or in shared memory? That ends
 * at a block: more of them would each have a part of the result, or a wrong one. Not where the
 * code shows that its work can be divided, or where other launches have other grids.
 */
static bool
is_together(const struct rule_view *x, const struct room *r, double blocks, double sms)
{
	return blocks < sms && r->threads == 1 && !has_loose_warps(x->kernel) &&
	    !follows_work(x);
}

static void
tell_together(struct rule_view *x, struct draft *d, const char *many)
{
	double most = threads_most(x);

	d->variant = "together";
	d->f.advice = arena_format(x->arena, "split what its threads do together over "
	    "blocks (a reduction in two steps: parts, then their results)%s; then launch "
	    "%s; barriers and shared memory hold within a block: as it is, blocks would "
	    "not see each other's results",
	    most > rule_threads(x->kernel) ? arena_format(x->arena, ", or give each block "
	    "more threads, up to %s", say_whole(x->arena, most)) : "", many);
	d->f.bad_code = "sum<<<1, 256>>>(x, n, total);          // one block";
	d->f.good_code = "sum<<<blocks, 256>>>(x, n, part);      // a part each\n"
	    "sum<<<1, 256>>>(part, blocks, total);";
}

static void
fill(struct rule_view *x, struct draft *d, double blocks, double sms)
{
	double waves = x->kernel->occupancy.known ?
	    x->kernel->occupancy.waves : NAN;
	struct room r = room_of(x, blocks, sms);
	bool shared = set_fix(x, d, &r, blocks, sms);

	rule_evidence(x, d, "blocks", blocks, "blocks in the grid",
	    .attribute = "kernel activity record", .unit = "block");
	rule_evidence(x, d, "sms", sms, "SMs of this GPU",
	    .attribute = "device record", .unit = "SM");
	if (isfinite(waves))
		rule_evidence(x, d, "waves", waves,
		    "blocks / blocks that fit at once",
		    .derived = "occupancy calculator", .unit = "wave",
		    .key = "min_waves");
	/* Launches in several streams, or on several arrays, are work that is divided
	 * already: how much of the GPU is idle shows when they no longer take turns. */
	if (x->kernel->streams_vary || x->kernel->next == x->kernel->id)
		d->barred = BAR_TURNS;
	d->f.confidence = !shared ? CONF_LOW : blocks < sms / 2 ? CONF_HIGH :
	    CONF_MEDIUM;
	d->f.summary = blocks < sms ? arena_format(x->arena, "%s block%s for "
	    "%s SMs: %s of the GPU is idle", say_whole(x->arena,
	    blocks), blocks == 1 ? "" : "s", say_whole(x->arena, sms),
	    say_percent(x->arena, 1 - blocks / sms)) :
	    arena_format(x->arena, "the grid is %s of what fits on the GPU "
	    "at once, and no unit is saturated", say_percent(x->arena, waves));
	d->f.advice = arena_format(x->arena, "launch %s (%s)",
	    how_many(x, &r, blocks, sms), how_to(x, &r));
	if (is_together(x, &r, blocks, sms))
		tell_together(x, d, how_many(x, &r, blocks, sms));
	d->f.gain_note = shared ? "the same work spread over all SMs, up to "
	    "the next full resource" : "if its work can be divided further: "
	    "nothing that was seen of it says so";
}

/*
 * A framework's reduction with a block or a few for each result: it does not divide the
 * axis, however long that is. Its caller can reduce in two steps, or have a product do
 * it. The low view believes half of the factor.
 */
static enum rule_state
ask_reduction(struct rule_view *x, double blocks, double sms)
{
	struct fix fix = FIX_NONE;
	struct draft *d;

	if (!x->library->framework || !library_does(x->library, "reduction"))
		return rule_unmeasured(x, REASON_LIBRARY);
	if (blocks >= FEW_SMS * sms || x->load->time_s < rule_value(x, "min_called"))
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	fix.spread = fix.grid = sms / blocks;
	rule_fix(d, &fix, 0.5, 1);
	rule_evidence(x, d, "blocks", blocks, "blocks in the grid",
	    .attribute = "kernel activity record", .unit = "block");
	rule_evidence(x, d, "sms", sms, "SMs of this GPU",
	    .attribute = "device record", .unit = "SM");
	rule_evidence(x, d, "time_s", x->load->time_s, "mean time of a launch",
	    .measured = "kernel records", .key = "min_called");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "a reduction of %s block%s for %s SMs, "
	    "%s each time", say_whole(x->arena, blocks), blocks == 1 ? "" : "s",
	    say_whole(x->arena, sms), say_seconds(x->arena, x->load->time_s));
	d->f.advice = "reduce in two steps, pieces of the long axis and then their "
	    "results, or sum by a product: with ones, or for groups with their masks, "
	    "mask.astype(x.dtype) @ x; the library gives each result a block or a few, "
	    "however much is summed";
	d->f.bad_code = "sums = xp.where(mask[:, :, None], x, 0).sum(axis=1)";
	d->f.good_code = "sums = mask.astype(x.dtype) @ x";
	d->f.gain_note = "the same work spread over all SMs, up to the next full "
	    "resource";
	return rule_settle(x, d);
}

/* A framework's operator ${o} that has few blocks whatever there is to do. The mean time is that of
 * all launches: of one grid they are of all sizes, and counters are of one of them. */
static enum rule_state
ask_shaped(struct rule_view *x, const struct shaped *o, double blocks, double sms)
{
	const struct kernel *k = rule_kernel(x);
	double mean_s = steps_mean_s(k);
	struct draft *d;

	if (blocks >= FEW_SMS * sms || mean_s < rule_value(x, "min_called") ||
	    (isfinite(k->alone_ns) && k->alone_ns < 0.5 * (double)k->total_ns))
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	for (int v = 0; v < VIEWS; v++)
		d->fix[v].whole = 1 - shaped_goes[v] * (1 - blocks / sms);
	rule_evidence(x, d, "blocks", blocks, "blocks in the grid",
	    .attribute = "kernel activity record", .unit = "block");
	rule_evidence(x, d, "sms", sms, "SMs of this GPU",
	    .attribute = "device record", .unit = "SM");
	rule_evidence(x, d, "time_s", mean_s, "mean time of a launch",
	    .measured = "kernel records", .key = "min_called");
	d->variant = o->words;
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s on %s block%s for %s SMs, %s each time: it has "
	    "%s, however much each has to do", o->operator, say_whole(x->arena, blocks),
	    blocks == 1 ? "" : "s", say_whole(x->arena, sms),
	    say_seconds(x->arena, mean_s), o->blocks);
	d->f.advice = "let a compiler make the operator's kernels (torch.compile), which divide "
	    "the work among many blocks, or put more samples into a batch";
	d->f.bad_code = NULL;
	d->f.good_code = NULL;
	d->f.gain_note = "another kernel does the same on all SMs; how near that comes is assumed: "
	    "four fifths, at least three tenths of what the idle SMs take over";
	return rule_settle(x, d);
}

/* The kernels and gaps of ${p}, of which ${of} are: a finding as of a rule about the run,
 * since one call launches all of them. False without memory. */
static bool
price_decomposed(const struct rule_view *x, struct draft *d, const struct decomposed *p,
    const bool *of)
{
	const struct run *run = x->run;
	struct gone *gone = arena_get(x->arena, (run->kernels + 1) * sizeof(*gone));

	if (gone == NULL)
		return false;
	for (size_t i = 0; i < run->kernels; i++)
		for (int v = 0; of[i] && v < VIEWS; v++)
			gone[i].launches[v] = decomposed_goes[v] *
			    (double)run->kernel[i].launches;
	d->f.kernel = NULL;
	d->load = NULL;
	d->f.worth_it = true;	/* until it has its seconds: it is kept till then */
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC),
	    { decomposed_goes[VIEW_LOW] * p->gap_s, decomposed_goes[VIEW_MID] * p->gap_s,
	    decomposed_goes[VIEW_HIGH] * p->gap_s } };
	d->claims = 1;
	return steps_parts(x, d, gone) == 0;
}

static void
advise_decomposed(const struct rule_view *x, struct draft *d, const struct decomposed *p)
{
	d->variant = p->spectral ? "decomposed" : "factorised";
	if (!p->spectral) {
		d->f.advice = arena_format(x->arena, "%s; keep a factor that serves several "
		    "solutions; a single small matrix on the CPU, by LAPACK",
		    x->library->batched != NULL ? x->library->batched :
		    "factorise many matrices in one call");
		d->f.bad_code = "for (int i = 0; i < n; i++)\n"
		    "    cusolverDnSpotrf(h, uplo, m, a[i], m, work, lwork, info);";
		d->f.good_code = "cusolverDnSpotrfBatched(h, uplo, m, a, m, info, n);";
		return;
	}
	d->f.advice = "decompose many matrices in one call (cusolverDnSsyevjBatched, "
	    "cusolverDnSgesvdaStridedBatched), or single small ones on the CPU, by LAPACK; "
	    "eigenvalues (syevd) where the matrix is symmetric, another algorithm (gesvd for "
	    "gesvdj), or only the vectors that are used (syevdx)";
	d->f.bad_code = "for (int i = 0; i < n; i++)\n"
	    "    cusolverDnSgesvdj(h, jobz, econ, m, m, a[i], …);";
	d->f.good_code = "cusolverDnSgesvdaStridedBatched(h, jobz, rank, m, m, a, …, n);";
}

/* Small matrices that a library decomposes on a few SMs: one finding for the line. */
static enum rule_state
ask_decomposed(struct rule_view *x)
{
	const struct kernel *k = x->kernel;
	double sms = x->device->limits.sms;
	struct decomposed p;
	char name[OPERATOR_SIZE];
	struct draft *d;
	bool *of;

	if (!decomposed_by(x, k, &p, NULL))
		return rule_unmeasured(x, REASON_LIBRARY);
	of = arena_get(x->arena, x->run->kernels);
	if (of == NULL)
		return RULE_NOT_MEASURED;
	decomposed_by(x, k, &p, of);
	d = rule_found(x, NULL);
	lines_launch(x, d, k->id);
	if (!price_decomposed(x, d, &p, of)) {
		rule_drop(x, d);
		return RULE_NOT_MEASURED;
	}
	d->f.where = operator_name(name, k, d->f.site, x->library) ?
	    arena_format(x->arena, "%s", name) : "small decompositions";
	d->f.location = say_counted(x->arena, p.launches, "launch");
	rule_evidence(x, d, "launches", p.launches, "launches for these matrices",
	    .measured = "kernel records", .unit = "launch");
	rule_evidence(x, d, "blocks", p.blocks, "blocks in their grids, in the mean of their "
	    "time", .attribute = "kernel activity record", .unit = "block");
	rule_evidence(x, d, "sms", sms, "SMs of this GPU",
	    .attribute = "device record", .unit = "SM");
	rule_evidence(x, d, "kernel_s", p.s, "their time on the GPU",
	    .measured = "kernel records");
	rule_evidence(x, d, "gap_s", p.gap_s, "GPU idle in front of them",
	    .measured = "kernel records");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "small matrices are decomposed by the GPU's "
	    "library, %s: %s launches, %s each, on %s of %s SMs; %s, and %s in front of them",
	    p.spectral ? "round by round" : "step by step", say_whole(x->arena, p.launches),
	    say_seconds(x->arena, p.s / p.launches), say_whole(x->arena,
	    fmax(1, p.filled * sms)), say_whole(x->arena, sms), say_seconds(x->arena, p.s),
	    say_seconds(x->arena, p.gap_s));
	d->f.limiter = "each round waits for the one before, and has work for a few SMs; "
	    "no larger batch and no graph reaches into the library's call";
	d->f.gain_note = "half of their time and of the gaps in front of them goes, at least a "
	    "fifth, at most four fifths: assumed, as the sizes of the matrices and which of these "
	    "ways is open were not seen";
	advise_decomposed(x, d, &p);
	return RULE_FOUND;
}

enum rule_state
rule_grid_too_small(struct rule_view *x)
{
	const struct kernel *k = x->kernel;
	double blocks = rule_blocks(k), sms = x->device->limits.sms;
	bool counters = x->load->limit >= 0;
	const struct shaped *shaped;
	struct draft *d;

	if (!(blocks > 0) || !(sms > 0))
		return rule_unmeasured(x, REASON_GRID_UNKNOWN);
	if (x->library != NULL && x->library->solver)
		return ask_decomposed(x);
	if (x->library != NULL && (shaped = library_shaped(x->run, rule_kernel(x))) != NULL)
		return ask_shaped(x, shaped, blocks, sms);
	if (x->library != NULL)
		return ask_reduction(x, blocks, sms);
	if (x->load->time_s < rule_value(x, "min_time"))
		return RULE_CLEAN;
	/* Other kernels fill the GPU beside it. */
	if (isfinite(k->alone_ns) && k->alone_ns < 0.5 * (double)k->total_ns)
		return RULE_CLEAN;
	/* One block does all the work: more blocks would exit as early as the
	 * others. */
	if (rule_said(x, "serial-kernel") &&
	    x->load->spread * sms < IDLE_MOST * fmin(blocks, sms))
		return RULE_CLEAN;
	if (blocks >= sms) {
		/* All SMs have work: only a measured lack of warps counts. */
		if (!counters || !k->occupancy.known ||
		    k->occupancy.waves >= rule_value(x, "min_waves") ||
		    x->load->busy >= rule_value(x, "max_busy"))
			return RULE_CLEAN;
	}
	d = rule_found(x, NULL);
	fill(x, d, blocks, sms);
	return RULE_FOUND;
}
