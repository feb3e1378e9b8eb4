/*
 * rules/evidence/coded_estimate.c: see coded_estimate.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/cycles.h"
#include "facts/warp.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/coded_estimate.h"
#include "rules/evidence/strides.h"
#include "source/often.h"
#include "source/operand.h"
#include "source/rare.h"
#include "source/slice.h"
#include "source/trips.h"

#define ALONE 64		/* bytes that DRAM moves for an isolated sector */

#define TURNS_MOST 1e6

#define SLICES_MAX 1024		/* addresses that are examined */

/* Sectors per ideal sector of rows that may begin anywhere, with a margin for
 * counters from two launches. */
#define BEGINS_MOST 1.05

/* The exact paths of sine and cosine keep seven words in local memory, for
 * arguments so large that they hardly occur. */
#define LOCAL_LEAST 64		/* bytes of a thread: more than the frame of
				 * those paths */

enum sm_unit { UNIT_ISSUE, UNIT_L1, UNIT_L2, UNIT_XU, UNIT_FP64, UNITS };

/* What one warp needs of each unit of an SM, in cycles, by loop depth: to be
 * multiplied by iterations to the power of the depth. */
struct needs {
	double cycles[UNITS][OFTEN_DEPTHS];
	double inst[OFTEN_DEPTHS];	/* its instructions */
	double loads[OFTEN_DEPTHS];	/* its global loads */
	/* The code for rare arguments, per iteration; rare_stores: to local memory. */
	double rare_inst, rare_loads, rare_stores;
	/* The loops that retry atomics of shared memory, per turn of each; and the
	 * wavefronts of all other accesses, each at its best. */
	double retry_inst, retry_waves, waves;
};

/* Sectors of a warp's access; *${ideal}: those that its bytes fill. Both are
 * equal if the code does not tell. */
static double
sectors_of(const struct sass_instruction *i, const struct affine *a,
    const struct record_SIGNATURE *shape, double *ideal)
{
	double n = affine_sectors(a, i->bytes, shape);

	*ideal = fmax(1, (double)WARP * i->bytes / SECTOR);
	if (isnan(n))
		return *ideal;
	*ideal = fmin(*ideal, n);	/* lanes share addresses */
	return n;
}

static double
wavefronts_of(const struct sass_instruction *i, const struct affine *a,
    const struct record_SIGNATURE *shape, double *ideal)
{
	double n = affine_wavefronts(a, i->bytes, shape);

	*ideal = fmax(1, (double)i->bytes / BANK);
	if (isnan(n))
		return *ideal;
	*ideal = fmin(*ideal, n);
	return n;
}

/* L1 cycles of an access: it looks up one line of 128 bytes per cycle; with a
 * sector per lane, each is a line. */
static double
l1_cycles(const struct sass_instruction *i, const struct affine *a,
    const struct record_SIGNATURE *shape)
{
	double ideal, n;

	if (!(i->flags & (SASS_LOAD | SASS_STORE)) || i->bytes == 0)
		return 0;
	if (i->space == SPACE_SHARED)
		return wavefronts_of(i, a, shape, &ideal);
	if (i->space == SPACE_LOCAL)
		return shape->local_per_thread < LOCAL_LEAST ? 0 :
		    fmax(1, i->bytes / 4.0);
	if (i->space != SPACE_GLOBAL)
		return 0;
	n = sectors_of(i, a, shape, &ideal);
	return n > ideal ? n : fmax(1, n / 4);
}

/* Cycles in which L2 takes an access of local memory, for one SM's share of its
 * rate: loads mostly hit L1, which writes stores through. (An H200's kernel stores 324
 * million sectors, by its source, and loads as many; 326 million requests of L1's were
 * counted at L2: compartments in tests/captures/programs.) */
static double
l2_cycles(const struct sass_instruction *i, const struct rule_view *x)
{
	if (i->space != SPACE_LOCAL || !(i->flags & SASS_STORE) ||
	    x->kernel->shape.local_per_thread < LOCAL_LEAST)
		return 0;
	return i->bytes * (double)SECTOR / x->ceiling->l2_bytes_per_s *
	    fmax(1, x->device->limits.sms) * x->ceiling->sm_hz;
}

/* ${apart}: the loops that retry atomics are counted apart. */
static void
add_needs(struct needs *n, const struct rule_view *x,
    const struct affine *address, const struct often *often, bool apart)
{
	const struct record_SIGNATURE *shape = &x->kernel->shape;
	const struct code *c = x->kernel->code;
	const struct chip *chip = x->device->sm;
	double issue = 1.0 / chip->schedulers;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		bool load = i->space == SPACE_GLOBAL && i->flags & SASS_LOAD;
		const double *times = often[s].times;
		double l1;

		if (often[s].never)
			continue;
		if (often[s].rare > 0) {
			n->rare_inst += often[s].rare;
			if (often[s].rare < 1)
				continue;
			n->rare_loads += load;
			n->rare_stores += i->space == SPACE_LOCAL &&
			    i->flags & SASS_STORE;
			continue;
		}
		l1 = l1_cycles(i, &address[s], shape);
		if (often[s].retried && apart) {
			n->retry_inst++;
			n->retry_waves += i->space == SPACE_SHARED;
			continue;
		}
		n->waves += l1;
		for (int d = 0; d < OFTEN_DEPTHS; d++) {
			n->inst[d] += times[d];
			n->loads[d] += times[d] * load;
			n->cycles[UNIT_ISSUE][d] += times[d] * issue;
			n->cycles[UNIT_L1][d] += times[d] * l1;
			n->cycles[UNIT_L2][d] += times[d] * l2_cycles(i, x);
			if (i->flags & (SASS_XU | SASS_CONVERT))
				n->cycles[UNIT_XU][d] += times[d] * issue *
				    load_cycles(chip, chip->xu);
			if (i->flags & SASS_FP64)
				n->cycles[UNIT_FP64][d] += times[d] * issue *
				    load_cycles(chip, chip->fp64);
		}
	}
}

static double
sum_at(const double each[OFTEN_DEPTHS], double turns)
{
	double sum = 0, times = 1;

	for (int d = 0; d < OFTEN_DEPTHS; d++, times *= turns)
		sum += each[d] * times;
	return sum;
}

/* Cycles of the busiest unit at ${turns} iterations of each loop. */
static double
cycles_at(const struct needs *n, double turns)
{
	double most = 0;

	for (int p = 0; p < UNITS; p++)
		most = fmax(most, sum_at(n->cycles[p], turns));
	return most;
}

/* The iterations of each loop that take ${cycles}, by bisection to 0.1 %. */
static double
turns_for(const struct needs *n, double cycles)
{
	double low = 1, high = TURNS_MOST;

	if (!(cycles_at(n, 1) < cycles))
		return 1;
	while (high / low > 1.001) {
		double mid = sqrt(low * high);

		if (cycles_at(n, mid) < cycles)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static void
set(struct code *c, struct instruction *i, enum source_metric m, double v)
{
	i->value[m] = v;
	c->total[m] = (isnan(c->total[m]) ? 0 : c->total[m]) + v;
}

static void
count_access(struct code *c, struct instruction *i,
    const struct sass_instruction *s, const struct affine *a,
    const struct record_SIGNATURE *shape)
{
	bool store = (s->flags & SASS_STORE) != 0;
	double ideal, n, times = or_zero(i->value[SOURCE_INST]);

	if (!(s->flags & (SASS_LOAD | SASS_STORE)) || s->bytes == 0)
		return;
	if (s->space == SPACE_GLOBAL) {
		n = sectors_of(s, a, shape, &ideal);
		set(c, i, SOURCE_GLOBAL_SECTORS, n * times);
		set(c, i, SOURCE_GLOBAL_IDEAL, ideal * times);
		set(c, i, store ? SOURCE_GLOBAL_ST : SOURCE_GLOBAL_LD, times);
	} else if (s->space == SPACE_SHARED) {
		n = wavefronts_of(s, a, shape, &ideal);
		set(c, i, SOURCE_SHARED_WAVEFRONTS, n * times);
		set(c, i, SOURCE_SHARED_IDEAL, ideal * times);
		set(c, i, store ? SOURCE_SHARED_ST : SOURCE_SHARED_LD, times);
	} else if (s->space == SPACE_LOCAL &&
	    (shape->local_per_thread >= LOCAL_LEAST ||
	    rare_share(&c->sass, (uint32_t)(s - c->sass.instruction)) > 0)) {
		set(c, i, SOURCE_LOCAL_SECTORS, (double)s->bytes * times);
	}
}

/* The values of sass instruction ${s} if it is a global load or, with ${store},
 * a global store; else NULL. */
static double *
global_values(const struct code *c, uint32_t s, bool store)
{
	const struct sass_instruction *i = &c->sass.instruction[s];
	size_t at = inst_of_sass(c, s);

	if (at == SIZE_MAX || i->space != SPACE_GLOBAL || i->bytes == 0 ||
	    !(i->flags & (SASS_LOAD | SASS_STORE)) ||
	    ((i->flags & SASS_STORE) != 0) != store)
		return NULL;
	return c->instruction[at].value;
}

static bool
is_told(const struct code *c, uint32_t s, const struct affine *address,
    const struct record_SIGNATURE *shape)
{
	return isfinite(affine_sectors(&address[s],
	    c->sass.instruction[s].bytes, shape));
}

/*
 * Scales the code's estimates for all global loads, or stores, to the counts of a
 * launch: the number of accesses, and the sectors beyond the ideal. Accesses with a
 * known address get theirs first, at most what the code says; the others share the
 * rest. If there are no others, neighbouring lanes access neighbouring positions
 * that begin within a sector: the code does not tell where an array begins.
 */
static void
reconcile(struct code *c, const struct affine *address,
    const struct record_SIGNATURE *shape, const double *metric, bool store)
{
	double counted = metric[store ? METRIC_GLOBAL_ST_INST :
	    METRIC_GLOBAL_LD_INST];
	double sectors = metric[store ? METRIC_GLOBAL_ST_SECTORS :
	    METRIC_GLOBAL_LD_SECTORS];
	double inst = 0, ideal = 0, told = 0, open = 0, over, part, rest, begins, *v;

	if (!isfinite(counted))
		counted = metric[store ? METRIC_GLOBAL_ST_REQUESTS :
		    METRIC_GLOBAL_LD_REQUESTS];
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		if ((v = global_values(c, s, store)) == NULL)
			continue;
		inst += or_zero(v[SOURCE_INST]);
		ideal += or_zero(v[SOURCE_GLOBAL_IDEAL]);
		told += or_zero(v[SOURCE_GLOBAL_SECTORS]) -
		    or_zero(v[SOURCE_GLOBAL_IDEAL]);
		if (!is_told(c, s, address, shape))
			open += or_zero(v[SOURCE_INST]);
	}
	if (!isfinite(sectors) || !(counted >= 0) || !(inst > 0))
		return;
	over = fmax(0, sectors - ideal * counted / inst) * inst /
	    fmax(counted, 1);
	part = told > 0 ? fmin(1, over / told) : 0;
	rest = fmax(0, over - told * part);
	begins = open > 0 || rest > BEGINS_MOST * inst ? 0 : rest / inst;
	rest = open > 0 ? rest / open : 0;
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		double old, best, now;

		if ((v = global_values(c, s, store)) == NULL)
			continue;
		old = or_zero(v[SOURCE_GLOBAL_SECTORS]);
		best = or_zero(v[SOURCE_GLOBAL_IDEAL]);
		now = best + (is_told(c, s, address, shape) ?
		    (old - best) * part + or_zero(v[SOURCE_INST]) * begins :
		    or_zero(v[SOURCE_INST]) * rest);
		v[SOURCE_GLOBAL_SECTORS] = now;
		c->total[SOURCE_GLOBAL_SECTORS] += now - old;
	}
}

/* Upper bound of the sectors that atomics request from L2, one per lane;
 * infinite if the code has accesses without a known bound. */
static double
atomics_most(const struct code *c)
{
	double most = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];

		if (i->space == SPACE_TEXTURE || i->flags & SASS_ASYNC)
			return INFINITY;
		if (i->flags & SASS_ATOMIC && i->space != SPACE_SHARED)
			most += WARP * or_zero(inst_executed(c, s));
	}
	return most;
}

/* L1's requests to L2 that no global access explains were local memory: lanes
 * that index their arrays differently need a sector each. */
static void
count_local(struct code *c, const double *metric)
{
	double stray = metric[METRIC_L2_FROM_L1] -
	    metric[METRIC_GLOBAL_LD_SECTORS] -
	    metric[METRIC_GLOBAL_ST_SECTORS] - atomics_most(c), inst = 0, each;

	for (uint32_t s = 0; s < c->sass.instructions; s++)
		if (c->sass.instruction[s].space == SPACE_LOCAL &&
		    !(rare_share(&c->sass, s) > 0))
			inst += inst_executed(c, s);
	if (isfinite(c->total[SOURCE_LOCAL_SECTORS]))
		stray -= c->total[SOURCE_LOCAL_SECTORS];
	if (!(inst > 0) || !(stray > 0))
		return;
	each = fmin(WARP, stray / inst);
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		size_t at = inst_of_sass(c, s);
		double *v, more = inst_executed(c, s) * each;

		if (at == SIZE_MAX || rare_share(&c->sass, s) > 0 ||
		    c->sass.instruction[s].space != SPACE_LOCAL)
			continue;
		v = &c->instruction[at].value[SOURCE_LOCAL_SECTORS];
		*v = or_zero(*v) + more;
		c->total[SOURCE_LOCAL_SECTORS] += more;
	}
}

/* Metrics that stay NaN: divergence was not estimated. For all others, absent
 * means zero. */
static bool
is_uncounted(int m)
{
	return m == SOURCE_BRANCH_DIVERGENT || m == SOURCE_BRANCH_UNIFORM ||
	    m == SOURCE_GLOBAL_TAGS;
}

/* Counted wavefronts that accesses with known addresses do not need belong to
 * the shared atomics: this tells how many of their lanes meet in a word, at
 * addresses that the data decide. */
static void
count_atomics(struct code *c, const struct record_SIGNATURE *shape,
    const double *metric)
{
	double rest = metric[METRIC_LSU_WAVEFRONTS], inst = 0;

	if (!isfinite(rest))
		return;
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		size_t at = inst_of_sass(c, s);
		const double *v;
		double n;

		if (at == SIZE_MAX)
			continue;
		v = c->instruction[at].value;
		n = or_zero(v[SOURCE_INST]);
		if (i->space == SPACE_SHARED && i->flags & SASS_ATOMIC)
			inst += n;
		else if (i->space == SPACE_SHARED)
			rest -= or_zero(v[SOURCE_SHARED_WAVEFRONTS]);
		else if (i->space == SPACE_GLOBAL)
			rest -= load_wavefronts(n,
			    or_zero(v[SOURCE_GLOBAL_SECTORS]));
		else if (i->space == SPACE_LOCAL &&
		    shape->local_per_thread >= LOCAL_LEAST)
			rest -= n * fmax(1, i->bytes / (double)BANK);
	}
	if (!(inst > 0))
		return;
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		size_t at = inst_of_sass(c, s);

		if (at == SIZE_MAX || i->space != SPACE_SHARED ||
		    !(i->flags & SASS_ATOMIC))
			continue;
		set(c, &c->instruction[at], SOURCE_SHARED_WAVEFRONTS,
		    or_zero(c->instruction[at].value[SOURCE_INST]) *
		    fmin(WARP, fmax(1, rest / inst)));
	}
}

void
coded_accesses(struct code *c, const struct affine *address,
    const struct record_SIGNATURE *shape, const double *metric)
{
	for (int m = 0; m < SOURCE_COUNT; m++)
		if (isnan(c->total[m]) && !is_uncounted(m))
			c->total[m] = 0;
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		size_t at = inst_of_sass(c, s);

		if (at != SIZE_MAX)
			count_access(c, &c->instruction[at],
			    &c->sass.instruction[s], &address[s], shape);
	}
	reconcile(c, address, shape, metric, false);
	reconcile(c, address, shape, metric, true);
	count_local(c, metric);
	count_atomics(c, shape, metric);
}

static double
executed(const struct code *c, uint32_t flags, enum sass_space space)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++)
		if (c->sass.instruction[s].flags & flags &&
		    (space == SPACE_NONE ||
		    c->sass.instruction[s].space == space))
			sum += inst_executed(c, s);
	return sum;
}

/* The sum of ${m} over the loads or stores (${flag}) of ${space}. */
static double
moved(const struct code *c, uint32_t flag, enum sass_space space,
    enum source_metric m)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		size_t at = inst_of_sass(c, s);
		double v = at != SIZE_MAX ? c->instruction[at].value[m] : NAN;

		if (c->sass.instruction[s].flags & flag &&
		    c->sass.instruction[s].space == space && isfinite(v))
			sum += v;
	}
	return sum;
}

static void
fill(double *v, double told)
{
	if (!isfinite(*v) && isfinite(told) && told >= 0)
		*v = told;
}

void
coded_memory(double *v, const struct code *c)
{
	static const struct {
		uint32_t flag;
		enum metric_id inst, requests, sectors, local, local_inst,
		    shared, shared_inst, used;
	} side[2] = {
		{ SASS_LOAD, METRIC_GLOBAL_LD_INST, METRIC_GLOBAL_LD_REQUESTS,
		  METRIC_GLOBAL_LD_SECTORS, METRIC_LOCAL_LD_SECTORS,
		  METRIC_LOCAL_LD_INST, METRIC_SHARED_LD_WAVEFRONTS,
		  METRIC_SHARED_LD_INST, METRIC_GLOBAL_LD_BYTES_PER_SECTOR },
		{ SASS_STORE, METRIC_GLOBAL_ST_INST, METRIC_GLOBAL_ST_REQUESTS,
		  METRIC_GLOBAL_ST_SECTORS, METRIC_LOCAL_ST_SECTORS,
		  METRIC_LOCAL_ST_INST, METRIC_SHARED_ST_WAVEFRONTS,
		  METRIC_SHARED_ST_INST, METRIC_GLOBAL_ST_BYTES_PER_SECTOR },
	};

	for (int k = 0; k < 2; k++) {
		uint32_t f = side[k].flag;
		double local = moved(c, f, SPACE_LOCAL, SOURCE_LOCAL_SECTORS);

		fill(&v[side[k].inst], executed(c, f, SPACE_GLOBAL));
		fill(&v[side[k].requests], v[side[k].inst]);
		fill(&v[side[k].sectors], moved(c, f, SPACE_GLOBAL,
		    SOURCE_GLOBAL_SECTORS));
		fill(&v[side[k].used], SECTOR * moved(c, f, SPACE_GLOBAL,
		    SOURCE_GLOBAL_IDEAL) / moved(c, f, SPACE_GLOBAL,
		    SOURCE_GLOBAL_SECTORS));
		fill(&v[side[k].local], local);
		fill(&v[side[k].local_inst], local > 0 ?
		    executed(c, f, SPACE_LOCAL) : 0);
		fill(&v[side[k].shared], moved(c, f, SPACE_SHARED,
		    SOURCE_SHARED_WAVEFRONTS));
		fill(&v[side[k].shared_inst], executed(c, f, SPACE_SHARED));
	}
	fill(&v[METRIC_SHARED_WAVEFRONTS], v[METRIC_SHARED_LD_WAVEFRONTS] +
	    v[METRIC_SHARED_ST_WAVEFRONTS]);
}

static void
fill_all(struct coded *e, const struct rule_view *x, const struct needs *n,
    double turns, double scale, double cycles)
{
	const struct load *l = x->load;
	double *v = e->kernel.metric, bytes;
	double busy[UNITS] = { 0 };

	for (int p = 0; p < UNITS; p++) {
		double times = scale;

		for (int d = 0; d < OFTEN_DEPTHS; d++, times *= turns)
			busy[p] += n->cycles[p][d] * times;
		busy[p] = 100 * fmin(1, busy[p] / cycles);
	}
	coded_memory(v, &e->code);
	bytes = SECTOR * (moved(&e->code, SASS_LOAD | SASS_STORE, SPACE_GLOBAL,
	    SOURCE_GLOBAL_IDEAL));
	/* At most all memory, read and written once: repeated accesses hit caches. */
	if (x->run->peak_memory_bytes > 0)
		bytes = fmin(bytes, 2 * ((double)x->run->peak_memory_bytes +
		    (double)x->run->peak_host_bytes +
		    (double)x->run->static_bytes));
	fill(&v[METRIC_INST_EXECUTED], e->code.total[SOURCE_INST]);
	if (busy[UNIT_L2] > 0 && !isfinite(v[METRIC_L2_FROM_L1])) {
		fill(&v[METRIC_L2_FROM_L1], v[METRIC_LOCAL_ST_SECTORS] +
		    v[METRIC_GLOBAL_ST_SECTORS] + v[METRIC_GLOBAL_LD_SECTORS]);
		fill(&v[METRIC_L2_SECTORS], v[METRIC_L2_FROM_L1]);
	}
	/* The counters include the code for rare arguments. */
	if (l->resource_s[RES_ISSUE] > 0)
		fill(&v[METRIC_ISSUE_ACTIVE], 100 * fmin(1,
		    l->resource_s[RES_ISSUE] / (l->time_s - l->fixed_s)));
	fill(&v[METRIC_ISSUE_ACTIVE], busy[UNIT_ISSUE] * l->spread);
	fill(&v[METRIC_PIPE_XU], busy[UNIT_XU]);
	fill(&v[METRIC_PIPE_FP64], busy[UNIT_FP64]);
	fill(&v[METRIC_OCCUPANCY], 100 * l->occupancy);
	fill(&v[METRIC_SM_CYCLES_ACTIVE_AVG], (l->time_s - l->fixed_s) *
	    x->ceiling->sm_hz * l->spread);
	fill(&v[METRIC_DRAM_PCT], 100 * fmin(1, bytes /
	    (x->ceiling->dram_bytes_per_s * (l->time_s - l->fixed_s))));
	e->kernel.code = &e->code;
	load_of(&e->load, &e->kernel, x->device);
	e->load.grounds = load_counted(x->kernel) ? GROUNDS_PART :
	    GROUNDS_TRACE;
}

/* Bytes of all memory that there is; INFINITY if the host's may be accessed, too. */
static double
memory_of(const struct rule_view *x)
{
	if (x->run->unified.used || x->run->peak_host_bytes > 0 ||
	    x->run->peak_memory_bytes == 0)
		return INFINITY;
	return (double)x->run->peak_memory_bytes + (double)x->run->static_bytes;
}

/* Upper bound of the loops' iterations: threads that step by the whole grid,
 * each from its own element to its next, end when they have covered all memory.
 * INFINITY: not known. */
static double
turns_most(const struct rule_view *x, const struct affine *address)
{
	const struct code *c = x->kernel->code;
	double threads = rule_blocks(x->kernel) * rule_threads(x->kernel);
	int32_t step = 0;

	if (c->sass.loops == 0)
		return 1;
	if (!strides_once(c))
		return INFINITY;
	for (uint32_t s = 0; s < c->sass.instructions; s++)
		if (c->sass.instruction[s].space == SPACE_GLOBAL &&
		    sass_loop_of(&c->sass, s) != NULL &&
		    address[s].kind == AFFINE_STEPS &&
		    address[s].x != AFFINE_SOME && address[s].x > step)
			step = address[s].x;
	return step > 0 ? fmax(1, memory_of(x) / (threads * step)) : INFINITY;
}

/* Upper bound of the time of all executions, s, if every access with an unknown
 * address were scattered and no waiting overlapped; ${busy}: what the SMs need. */
static double
told_s(const struct coded *e, const struct rule_view *x,
    const struct affine *address, double warps, double busy)
{
	const struct code *c = &e->code;
	double waves = fmax(1, or_zero(x->kernel->occupancy.waves));
	double sectors = 0, cycles = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double n = inst_executed(c, s), each;
		bool far = i->space == SPACE_GLOBAL || i->space == SPACE_LOCAL ||
		    i->space == SPACE_GENERIC || i->space == SPACE_TEXTURE;

		cycles += n * (far ? CYCLES_TRIP : CYCLES_ISSUE);
		each = affine_sectors(&address[s], i->bytes, &x->kernel->shape);
		if (far)
			sectors += n * (isfinite(each) ? each : WARP);
	}
	return x->load->fixed_s + fmax(busy, fmax(sectors * ALONE /
	    x->ceiling->dram_bytes_per_s, cycles / warps * waves /
	    x->ceiling->sm_hz));
}

/* What was counted, per warp: global loads, and sectors that L1 requests from
 * L2 and no global access explains (local memory's). NaN: not counted. */
struct warp_counts {
	double loads, local;
	double waves, lanes;	/* wavefronts; mean active lanes, of 32 */
};

/* Lanes that all want one word leave its loop one by one: the mean of 1 to 32. */
#define RETRY_LANES ((WARP + 1) / 2.0)

/*
 * Turns of the loops that retry atomics: as many as explain the wavefronts that
 * nothing else needs, and at most what explains the lanes that idle, if all
 * lanes want one word. 0: not counted, or there are none.
 */
static double
retry_turns(const struct needs *n, double each, const struct warp_counts *k)
{
	double turns, idle;

	if (!(n->retry_inst > 0) || !(k->waves > 0) || !(k->lanes > 0))
		return 0;
	idle = fmin(1, (1 - fmin(1, k->lanes / WARP)) /
	    (1 - RETRY_LANES / WARP));
	turns = fmin(each * idle / n->retry_inst,
	    (k->waves - n->waves) / fmax(1, n->retry_waves));
	return fmax(1, turns);
}

/* Iterations of the loop for rare arguments: as many as explain the loads that
 * no other loop does, at most what local memory's sectors allow. */
static double
rare_turns(const struct needs *n, const struct warp_counts *k, double turns)
{
	double loads = k->loads - sum_at(n->loads, turns);

	if (!(n->rare_loads > 0) || !(n->rare_stores > 0) || !(loads > 0) ||
	    !(k->local > 0))
		return 0;
	return fmin(loads / n->rare_loads, k->local / (WARP * BANK / SECTOR) /
	    n->rare_stores);
}

/* How often a warp executes what. */
struct turns {
	double loop;		/* turns of each loop whose turns the code does not tell */
	double scale;		/* the share of the warps that execute the code */
	double rare;		/* turns for rare arguments */
	double retries;		/* of the loops that retry atomics */
};

/* The turns at which a warp executes ${each} instructions in the mean, with ${retries} of
 * the loops that retry atomics. */
static struct turns
turns_counted(const struct needs *n, double each, const struct warp_counts *k,
    double retries)
{
	double low = 1, high = TURNS_MOST, all, tried = n->retry_inst * retries;
	struct turns t = { .retries = retries };

	while (high / low > 1.001) {
		double mid = sqrt(low * high);

		if (sum_at(n->inst, mid) + tried + n->rare_inst *
		    rare_turns(n, k, mid) < each)
			low = mid;
		else
			high = mid;
	}
	t.loop = low;
	t.rare = rare_turns(n, k, low);
	all = sum_at(n->inst, low) + tried + n->rare_inst * t.rare;
	t.scale = each / fmax(all, 1e-9);
	return t;
}

/* Turns that the code tells hold if they explain the instructions of a warp so well:
 * warps that exit early, and branches, leave out a part. */
#define TOLD_LEAST 0.5
#define TOLD_MOST 1.1

/* Solves for the turns of all loops and makes ${often}. With ${launch} NULL the code
 * tells none. False without memory. */
static bool
solve(struct turns *t, struct needs *n, struct often **often,
    const struct rule_view *x, const struct affine *address,
    const struct warp_counts *k, double each, const struct trips_launch *launch)
{
	double retries;

	*often = often_make(&x->kernel->code->sass, launch);
	if (*often == NULL)
		return false;
	*n = (struct needs){ .inst = { 0 } };
	add_needs(n, x, address, *often, true);
	retries = each > 0 ? retry_turns(n, each, k) : 0;
	if (retries == 0) {
		*n = (struct needs){ .inst = { 0 } };
		add_needs(n, x, address, *often, false);
	}
	if (!(each > 0))
		return true;
	*t = turns_counted(n, each, k, retries);
	if (launch != NULL && (t->scale < TOLD_LEAST || t->scale > TOLD_MOST)) {
		free(*often);
		return solve(t, n, often, x, address, k, each, NULL);
	}
	t->scale = fmin(1, t->scale);
	return true;
}

/* Sets the executions of each instruction by ${warps} warps of ${lanes} lanes. */
static void
count(struct code *c, double warps, double lanes, const struct turns *t,
    const struct often *often)
{
	for (int m = 0; m < SOURCE_COUNT; m++) {
		c->total[m] = NAN;
		for (size_t i = 0; i < c->instructions; i++)
			c->instruction[i].value[m] = NAN;
	}
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		size_t at = inst_of_sass(c, s);
		const struct often *o = &often[s];
		double times = o->never ? 0 : warps * t->scale * (o->rare > 0 ?
		    t->rare * o->rare : o->retried && t->retries > 0 ?
		    t->retries : sum_at(o->times, t->loop));

		if (at == SIZE_MAX)
			continue;
		set(c, &c->instruction[at], SOURCE_INST, times);
		set(c, &c->instruction[at], SOURCE_THREADS, times * lanes);
		set(c, &c->instruction[at], SOURCE_THREADS_ON, times * lanes);
	}
}

/* Lanes that each go on element by element from a loaded position have a row
 * each, and so a sector each. False without memory. */
static bool
walk_rows(const struct code *c, struct affine *address)
{
	struct slices *t = slices_new(&c->sass);
	struct slice from;
	int slices = 0;

	if (t == NULL)
		return false;
	for (uint32_t s = 0; s < c->sass.instructions &&
	    slices < SLICES_MAX; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];

		if (i->space != SPACE_GLOBAL || i->bytes == 0 ||
		    address[s].kind != AFFINE_LOADED)
			continue;
		slices++;
		slice_of(&from, t, s);
		if (from.loads && slice_walks(&from))
			address[s] = (struct affine){ .kind = AFFINE_STEPS,
			    .x = AFFINE_SOME, .y = AFFINE_SOME };
	}
	slices_free(t);
	return true;
}

/* Counters of the whole kernel that were not read with the first ones, where its
 * instructions were counted: those that the instructions' counts add up to. */
static int
sum_of_counts(struct coded *e, const struct rule_view *x)
{
	if (!(inst_total(x->kernel->code, SOURCE_INST) > 0) ||
	    !(rule_metric(x, METRIC_INST_EXECUTED) > 0))
		return 1;
	e->own = NULL;
	e->kernel = *x->kernel;
	e->code = *x->kernel->code;
	e->kernel.code = &e->code;
	coded_memory(e->kernel.metric, &e->code);
	load_of(&e->load, &e->kernel, x->device);
	return 0;
}

int
coded_of(struct coded *e, const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	const struct load *l = x->load;
	double warps, an_sm, cycles, most, ends = INFINITY, lanes;
	double counted = rule_metric(x, METRIC_INST_EXECUTED);
	const struct trips_launch launch = { rule_threads(x->kernel),
	    (double)x->kernel->shape.smem_static +
	    x->kernel->shape.smem_dynamic };
	struct turns t = { .rare = 0 };
	struct warp_counts k;
	struct needs n;
	struct affine *address;
	struct often *often;

	if (c == NULL || !c->disassembled || c->instructions == 0)
		return 1;
	if (c->counted)
		return sum_of_counts(e, x);
	cycles = (l->time_s - l->fixed_s) * x->ceiling->sm_hz;
	warps = rule_blocks(x->kernel) * ceil(rule_threads(x->kernel) /
	    (double)WARP);
	lanes = rule_blocks(x->kernel) * rule_threads(x->kernel) / warps;
	k = (struct warp_counts){ rule_metric(x, METRIC_GLOBAL_LD_INST) / warps,
	    (rule_metric(x, METRIC_L2_FROM_L1) - or_zero(l->ld_sectors) -
	    or_zero(l->st_sectors)) / warps,
	    rule_metric(x, METRIC_LSU_WAVEFRONTS) / warps,
	    rule_metric(x, METRIC_THREAD_INST) / counted };
	an_sm = warps / (fmax(1, x->device->limits.sms) *
	    fmax(l->spread, 1e-3));
	if (!(cycles > 0) || !(warps > 0) || !isfinite(cycles))
		return 1;
	address = affine_addresses(c, &x->kernel->shape);
	e->kernel = *x->kernel;
	e->code = *c;
	e->own = e->code.instruction = calloc(c->instructions,
	    sizeof(*e->code.instruction));
	if (address == NULL || e->code.instruction == NULL ||
	    !walk_rows(c, address) || !solve(&t, &n, &often, x, address, &k,
	    counted / warps, &launch)) {
		free(address);
		free(e->own);
		x->arena->failed = true;
		return -1;
	}
	memcpy(e->code.instruction, c->instruction,
	    c->instructions * sizeof(*c->instruction));
	if (!(counted > 0)) {
		/* No unit is busier than the one known to limit. */
		most = cycles / an_sm * (l->limit >= 0 ? l->busy : 1);
		ends = turns_most(x, address);
		t.loop = fmin(ends, turns_for(&n, most));
		/* Some warps exit early, some paths are not taken. */
		t.scale = fmin(1, most / fmax(cycles_at(&n, t.loop), 1e-9));
	}
	count(&e->code, warps, fmin(WARP, lanes), &t, often);
	free(often);
	coded_accesses(&e->code, address, &x->kernel->shape,
	    x->kernel->metric);
	e->code.counted = true;
	e->code.uncounted = NULL;
	fill_all(e, x, &n, t.loop, t.scale * an_sm, cycles);
	if (!(counted > 0) && l->limit >= 0)
		e->load.limit = l->limit;
	/* So few iterations do not explain the time: something else takes it. */
	if (ends <= t.loop && l->time_s > 0)
		e->load.unexplained = fmax(e->load.unexplained, 1 - TRIPS_DOUBT *
		    told_s(e, x, address, warps, cycles_at(&n, t.loop) * an_sm /
		    x->ceiling->sm_hz) / l->time_s);
	free(address);
	return 0;
}

void
coded_clear(struct coded *e)
{
	free(e->own);
}
