/*
 * rules/gain/load_of.c: the demands of one kernel launch, see load.h.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/gain/load.h"
#include "model/model.h"
#include "rules/gain/wait.h"

/* Starting and draining a grid: what an empty kernel takes on the GPU. */
#define FIXED_S 1.5e-6

/* The difference of the launch duration recorded with the counters from the
 * mean of undisturbed launches. Measured on 100 kernels whose launches are all
 * alike, on an H200: 0.95 to 1.06 of it, and up to 1.5 us more. */
#define WINDOW_DOUBT 0.06
#define WINDOW_S 1.5e-6

/* Launches whose lengths differ by less than half an octave count as alike. */
#define LIKE_BUCKETS 2

/* From the start of one block to that of the next, on any SM, in cycles of the
 * SM clock. Measured on an H200: 1.19 to 1.25 for blocks of 16 to 512 threads
 * that do next to nothing. */
#define START_CYCLES 1.2
/* The start of all blocks may seem longer than the launch by the variation of
 * clocks and that measurement. */
#define START_MOST 1.5

#define LINE_SECTORS 4		/* of L1 */

static double
blocks_of(const struct kernel *k)
{
	return (double)k->shape.grid_x * k->shape.grid_y * k->shape.grid_z;
}

/*
 * The mean wavefronts of a request, from the lines that each instruction looked
 * up: for a mix of accesses the mean number of sectors says little. Two lines
 * are the two ends of a misaligned access, which come together if their sectors
 * fit. NaN if instructions were not counted.
 */
static double
counted_wavefronts(const struct code *c, enum source_metric kind)
{
	double requests = 0, sum = 0;

	if (c == NULL || !c->counted ||
	    !(c->total[SOURCE_GLOBAL_TAGS] > 0) ||
	    !isfinite(c->total[SOURCE_GLOBAL_SECTORS]))
		return NAN;
	for (size_t i = 0; i < c->instructions; i++) {
		const double *v = c->instruction[i].value;
		double n = v[kind], lines = or_zero(v[SOURCE_GLOBAL_TAGS]) / n;

		if (!(n > 0) || !isfinite(n) || !isfinite(lines))
			continue;
		if (lines <= 2)
			lines = fmin(lines, load_lines(
			    or_zero(v[SOURCE_GLOBAL_SECTORS]) / n));
		requests += n;
		sum += n * fmin(32, fmax(1, lines));
	}
	return requests > 0 ? sum / requests : NAN;
}

/* Requests that were not counted are assumed to use their lines well: the
 * pipe's own count tells how much more they take. */
static double
wavefronts_of(double counted, double requests, double sectors)
{
	if (isnan(counted) && isnan(requests))
		return or_zero(sectors) / LINE_SECTORS;
	return isnan(counted) ? load_wavefronts(requests, sectors) :
	    or_zero(requests) * counted;
}

/*
 * Wavefronts of shared memory, if only its instructions were counted. An
 * instruction without an active lane is not counted as an access but takes a turn
 * in the pipe: on an H200 a scan with 85.6 million wavefronts and 57.9 million
 * such turns has 152 million in the pipe, of which 4.2 are global accesses.
 */
static void
count_shared(double w[USER_COUNT], const struct kernel *k)
{
	const struct code *c = k->code;
	double scale = 1;

	if (c == NULL || !c->counted ||
	    !isfinite(c->total[SOURCE_SHARED_WAVEFRONTS]))
		return;
	/* The counts may be of another launch. */
	if (metric(k, METRIC_INST_EXECUTED) > 0 && c->total[SOURCE_INST] > 0)
		scale = metric(k, METRIC_INST_EXECUTED) / c->total[SOURCE_INST];
	for (size_t i = 0; i < c->instructions; i++) {
		const double *v = c->instruction[i].value;
		double on = or_zero(v[SOURCE_SHARED_LD]) +
		    or_zero(v[SOURCE_SHARED_ST]) + or_zero(v[SOURCE_SHARED_ATOM]);
		uint32_t s = c->instruction[i].sass;

		w[v[SOURCE_SHARED_ST] > 0 ? USER_SHARED_ST : USER_SHARED_LD] +=
		    scale * or_zero(v[SOURCE_SHARED_WAVEFRONTS]);
		if (s < c->sass.instructions &&
		    c->sass.instruction[s].space == SPACE_SHARED)
			w[USER_OTHER] += scale *
			    fmax(0, or_zero(v[SOURCE_INST]) - on);
	}
}

/* May the kernel have accessed shared memory without being counted? */
static bool
shares_unseen(const struct kernel *k)
{
	return isnan(metric(k, METRIC_SHARED_WAVEFRONTS)) &&
	    isnan(metric(k, METRIC_SHARED_LD_WAVEFRONTS)) &&
	    isnan(metric(k, METRIC_SHARED_ST_WAVEFRONTS)) &&
	    (k->code == NULL || !k->code->counted ||
	    !isfinite(k->code->total[SOURCE_SHARED_WAVEFRONTS])) &&
	    k->shape.smem_static + k->shape.smem_dynamic > 0;
}

/* Of ${rest} wavefronts that no shared access is known to have made, those of global
 * and local accesses: estimated at ${sum}, and at least one for each of ${sectors}. */
static double
beyond_shared(const struct kernel *k, double rest, double sum, double sectors)
{
	return fmin(rest, shares_unseen(k) ? sum : fmax(sum, sectors));
}

static void
load_l1(struct load *l, const struct kernel *k)
{
	double *w = l->wavefronts;
	double total = metric(k, METRIC_LSU_WAVEFRONTS);
	double shared = metric(k, METRIC_SHARED_WAVEFRONTS);
	double local = or_zero(metric(k, METRIC_LOCAL_LD_SECTORS)) +
	    or_zero(metric(k, METRIC_LOCAL_ST_SECTORS));
	double rest, sum;

	w[USER_SHARED_LD] = metric(k, METRIC_SHARED_LD_WAVEFRONTS);
	w[USER_SHARED_ST] = metric(k, METRIC_SHARED_ST_WAVEFRONTS);
	w[USER_OTHER] = 0;
	sum = or_zero(w[USER_SHARED_LD]) + or_zero(w[USER_SHARED_ST]);
	if (sum == 0 && shared > 0) {	/* loads and stores not told apart */
		w[USER_SHARED_LD] = w[USER_SHARED_ST] = shared / 2;
		sum = shared;
	} else if (isnan(w[USER_SHARED_LD]) && isnan(w[USER_SHARED_ST])) {
		w[USER_SHARED_LD] = w[USER_SHARED_ST] = 0;
		count_shared(w, k);
		sum = w[USER_SHARED_LD] + w[USER_SHARED_ST] + w[USER_OTHER];
	}
	w[USER_SHARED_LD] = or_zero(w[USER_SHARED_LD]);
	w[USER_SHARED_ST] = or_zero(w[USER_SHARED_ST]);
	w[USER_GLOBAL_LD] = wavefronts_of(counted_wavefronts(k->code,
	    SOURCE_GLOBAL_LD), l->requests_ld, l->ld_sectors);
	w[USER_GLOBAL_ST] = wavefronts_of(counted_wavefronts(k->code,
	    SOURCE_GLOBAL_ST), l->requests_st, l->st_sectors);
	w[USER_LOCAL] = local / 4;
	if (!(total > 0))
		return;
	/* Wavefronts beyond those of shared memory are divided between global
	 * and local accesses in proportion to the estimate. */
	if (sum > total) {
		w[USER_SHARED_LD] *= total / sum;
		w[USER_SHARED_ST] *= total / sum;
		w[USER_OTHER] *= total / sum;
		sum = total;
	}
	rest = total - sum;
	sum = w[USER_GLOBAL_LD] + w[USER_GLOBAL_ST] + w[USER_LOCAL];
	if (sum > 0) {
		double most = beyond_shared(k, rest, sum, or_zero(l->ld_sectors) +
		    or_zero(l->st_sectors) + local);

		w[USER_OTHER] += rest - most;
		rest = most;
		w[USER_GLOBAL_LD] *= rest / sum;
		w[USER_GLOBAL_ST] *= rest / sum;
		w[USER_LOCAL] *= rest / sum;
	} else {
		w[USER_OTHER] += rest;
	}
}

static void
load_l2(struct load *l, const struct kernel *k)
{
	double hit = metric(k, METRIC_L1_HIT_RATE) / 100;
	double read = metric(k, METRIC_L2_READ);
	double from_l1 = metric(k, METRIC_L2_FROM_L1), all_ld;
	double local = or_zero(metric(k, METRIC_LOCAL_LD_SECTORS)) +
	    or_zero(metric(k, METRIC_LOCAL_ST_SECTORS));
	double all = or_zero(l->ld_sectors) + or_zero(l->st_sectors) + local;
	double sum;

	l->l2_sectors = metric(k, METRIC_L2_SECTORS);
	l->local_share = all > 0 ? local / all : 0;
	l->local_sectors = local;
	/* Stores pass through L1; the other requests are its misses. */
	all_ld = or_zero(l->ld_sectors) + local;
	if (!isfinite(hit) && isfinite(from_l1) && all_ld > 0)
		hit = 1 - (from_l1 - or_zero(l->st_sectors)) / all_ld;
	hit = isfinite(hit) ? clamp01(hit) : 0;
	l->l2_local = local * (1 - hit);
	l->l2_ld = or_zero(l->ld_sectors) * (1 - hit);
	if (isfinite(read))	/* loads and local loads both read */
		l->l2_ld = fmin(or_zero(l->ld_sectors),
		    fmax(0, read - l->l2_local / 2));
	l->l2_st = or_zero(l->st_sectors);	/* L1 writes through */
	l->l2_atom = fmax(0, or_zero(from_l1 - l->l2_ld - l->l2_st -
	    l->l2_local));
	sum = l->l2_ld + l->l2_st + l->l2_local;
	if (isfinite(l->l2_sectors) && sum > l->l2_sectors && sum > 0) {
		l->l2_ld *= l->l2_sectors / sum;
		l->l2_st *= l->l2_sectors / sum;
		l->l2_local *= l->l2_sectors / sum;
	}
}

/* The larger of a count at its ceiling and a measured share of the time. */
static double
larger(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : fmax(a, b);
}

static void
load_resources(struct load *l, const struct kernel *k, const struct device *d)
{
	static const struct { enum resource res; enum metric_id id; } pipe[] = {
		{ RES_ISSUE, METRIC_ISSUE_ACTIVE }, { RES_ALU, METRIC_PIPE_ALU },
		{ RES_FMA, METRIC_PIPE_FMA }, { RES_FP64, METRIC_PIPE_FP64 },
		{ RES_XU, METRIC_PIPE_XU }, { RES_LSU, METRIC_PIPE_LSU },
		{ RES_TENSOR, METRIC_PIPE_TENSOR }
	};
	double body = l->time_s - l->fixed_s, sum = load_waves(l), cycles_s, start;
	bool known;
	const struct ceilings *c = &d->ceilings;
	double *s = l->resource_s;

	for (int i = 0; i < RES_COUNT; i++)
		s[i] = NAN;
	/* Seconds of one event per cycle on each SM at work. */
	cycles_s = 1 / (fmax(1, d->limits.sms) * fmax(l->spread, 1e-3) *
	    c->sm_hz);
	if (isfinite(l->dram_read) || isfinite(l->dram_write))
		s[RES_DRAM] = load_dram(or_zero(l->dram_read),
		    or_zero(l->dram_write)) / c->dram_bytes_per_s;
	if (isnan(s[RES_DRAM]))
		s[RES_DRAM] = metric(k, METRIC_DRAM_PCT) / 100 * body;
	s[RES_L2] = larger(l->l2_sectors * 32 / c->l2_bytes_per_s,
	    metric(k, METRIC_L2_PCT) / 100 * body);
	if (sum > 0 || isfinite(metric(k, METRIC_LSU_WAVEFRONTS)))
		s[RES_L1] = sum * cycles_s;
	for (size_t i = 0; i < sizeof(pipe) / sizeof(pipe[0]); i++)
		s[pipe[i].res] = metric(k, pipe[i].id) / 100 * body;
	if (isnan(s[RES_ISSUE]))	/* four schedulers an SM */
		s[RES_ISSUE] = metric(k, METRIC_INST_EXECUTED) / 4 * cycles_s;
	l->issue_s = k->code != NULL && k->code->counted ?
	    k->code->total[SOURCE_INST] / 4 * cycles_s : NAN;
	/* The utilisation by starts says little if nothing else is known, unless
	 * starts explain all of the time; if they exceed it, it says nothing. */
	start = blocks_of(k) * START_CYCLES / c->sm_hz;
	known = load_bound(start / body) >= 1 && start < START_MOST * body;
	for (int i = 0; i < RES_START; i++)
		known = known || isfinite(s[i]);
	if (known)
		s[RES_START] = start;
}

/* The time of the launch that the counters are of: the mean of all, as far as
 * its own duration allows. */
static double
own_time(const struct kernel *k, double mean)
{
	double own = metric(k, METRIC_DURATION) * 1e-9;

	if (!(own > 0))
		return mean;
	return fmin(fmax(mean, own * (1 - WINDOW_DOUBT) - WINDOW_S),
	    own * (1 + WINDOW_DOUBT));
}

/* Sets what the counted launch tells of the others, by their lengths. */
static void
load_others(struct load *l, const struct kernel *k)
{
	double ns = fmax(1, l->time_s * 1e9), like = 0, excess = 0, all = 0;
	int own = (int)floor(4 * log2(ns)), i;

	l->like = 1;
	l->excess = 0;
	if (isnan(metric(k, METRIC_DURATION)))
		return;
	for (i = 0; i < STAT_BUCKETS; i++) {
		double each = exp2(i / 4.), part = k->time.bucket[i] * each;

		all += part;
		if (abs(i - own) <= LIKE_BUCKETS)
			like += part;
		else if (i > own && k->accesses_vary)
			excess += part * (1 - ns / each);
	}
	if (all > 0) {
		l->like = like / all;
		l->excess = clamp01(excess / all);
	}
}

static bool
is_pipe(int resource)
{
	return resource >= RES_ISSUE && resource <= RES_TENSOR;
}

static void
load_grid(struct load *l, const struct kernel *k, const struct device *d)
{
	double threads = (double)k->shape.block_x * k->shape.block_y *
	    k->shape.block_z;

	l->blocks = blocks_of(k) / fmax(1, d->limits.sms);
	l->warps = l->blocks * ceil(threads / 32) /
	    fmax(1, d->limits.max_warps_per_sm);
}

/* The most bytes that a lane's global load takes; 0: the code is not known. */
static double
widest_load(const struct code *c)
{
	double most = 0;

	for (uint32_t i = 0; c != NULL && c->disassembled &&
	    i < c->sass.instructions; i++) {
		const struct sass_instruction *s = &c->sass.instruction[i];

		if (s->space == SPACE_GLOBAL && s->flags & SASS_LOAD)
			most = fmax(most, s->bytes);
	}
	return most;
}

/* Of the sectors loaded, those of requests with a sector for each lane: the requests are
 * taken to be such or to be of neighbouring lanes, as wide as the widest. */
static double
scattered_of(const struct load *l, const struct kernel *k)
{
	double each = l->ld_sectors / l->requests_ld;
	double near = widest_load(k->code);	/* sectors: a byte a lane is one */

	if (!(each > 0) || !(near > 0) || near >= WARP || each <= near)
		return 0;
	return clamp01((each - near) / (WARP - near) * WARP / each);
}

void
load_of(struct load *l, const struct kernel *k, const struct device *d)
{
	double avg = metric(k, METRIC_SM_CYCLES_ACTIVE_AVG);
	double max = metric(k, METRIC_SM_CYCLES_ACTIVE_MAX);
	double body, top = 0;

	l->time_s = own_time(k, k->time.count > 0 ?
	    stat_mean(&k->time) * 1e-9 : k->launches > 0 ?
	    (double)k->total_ns / (double)k->launches * 1e-9 : 0);
	load_others(l, k);
	l->fixed_s = fmin(FIXED_S, l->time_s / 2);
	l->line_s = 0;
	body = l->time_s - l->fixed_s;
	l->ld_sectors = metric(k, METRIC_GLOBAL_LD_SECTORS);
	l->st_sectors = metric(k, METRIC_GLOBAL_ST_SECTORS);
	l->requests_ld = metric(k, METRIC_GLOBAL_LD_REQUESTS);
	if (isnan(l->requests_ld))
		l->requests_ld = metric(k, METRIC_GLOBAL_LD_INST);
	l->requests_st = metric(k, METRIC_GLOBAL_ST_REQUESTS);
	if (isnan(l->requests_st))
		l->requests_st = metric(k, METRIC_GLOBAL_ST_INST);
	l->scattered = scattered_of(l, k);
	l->dram_read = metric(k, METRIC_DRAM_READ);
	l->dram_write = metric(k, METRIC_DRAM_WRITE);
	l->memory = d->memory_bytes > 0 ? (double)d->memory_bytes : NAN;
	l->spread = avg > 0 && max > 0 ? clamp01(avg / max) :
	    clamp01(blocks_of(k) / fmax(1, d->limits.sms));
	load_grid(l, k, d);
	l->occupancy = metric(k, METRIC_OCCUPANCY) / 100;
	if (!(l->occupancy > 0))
		l->occupancy = k->occupancy.known ? k->occupancy.ratio : NAN;
	if (!(l->occupancy > 0))
		l->occupancy = 0.5;
	l->occupancy = fmin(l->occupancy, 1);
	load_l1(l, k);
	load_l2(l, k);
	wait_stalls(l, k, d);
	load_resources(l, k, d);
	l->limit = -1;
	for (int i = 0; i < RES_COUNT; i++)
		if (l->resource_s[i] > top) {
			top = l->resource_s[i];
			l->limit = i;
		}
	l->grounds = !load_counted(k) ? GROUNDS_TRACE :
	    isfinite(metric(k, METRIC_ISSUE_ACTIVE)) ? GROUNDS_WHOLE :
	    GROUNDS_PART;
	l->busy = NAN;
	l->bound = 0;
	if (l->limit < 0 || !(body > 0))
		return;
	if (top > body) {	/* a ceiling was too low: the resource is saturated */
		/* So may be the ceilings of the memory around it; not of the pipes. */
		for (int i = 0; i < RES_COUNT; i++)
			if (l->limit > RES_L1 || !is_pipe(i) ||
			    l->resource_s[i] > body)
				l->resource_s[i] *= body / top;
		top = body;
	}
	l->busy = top / body;
	l->bound = load_bound(l->busy);
	wait_queue(l, k, d);
}
