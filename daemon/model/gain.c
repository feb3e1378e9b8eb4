/*
 * model/gain.c: the resource model of one kernel launch, see gain.h.
 */
#include <math.h>
#include <stddef.h>

#include "model/ceilings.h"
#include "model/model.h"

#include "model/gain.h"

/* Starting and draining a grid: what an empty kernel takes on the GPU. */
#define FIXED_S 1.5e-6

/* From the start of one block to that of the next, on whatever SM: cycles of the
 * SM clock. Measured on an H200: 1.19 to 1.25 for blocks of 16 to 512 threads
 * that do next to nothing. */
#define START_CYCLES 1.2

/* Below BUSY_LOW no resource explains the time, above BUSY_HIGH the busiest
 * does; Nsight Compute uses 60 and 80 % for the same decision, here it is a
 * slope around them, so that a percent more or less never turns the advice. */
#define BUSY_LOW 0.4
#define BUSY_HIGH 0.8

/* In the favourable view the slope between them may lie so much to either side. */
#define BOUND_DOUBT 0.25

/* A kernel that waits for one resource keeps it busier than its next limit
 * after the change: there latency has its share again. */
#define BUSY_USUAL 0.75

/* Round trips: between what an L2 hit and a DRAM access take on GPUs of compute
 * capability 8 and 9; a conflict-free shared load. Cycles. */
#define MEMORY_CYCLES 500
#define MEMORY_CYCLES_MOST 800	/* with misses of the TLB */
#define SHARED_CYCLES 30

/* A line in front of the memory system keeps the busiest part of it busy,
 * however badly it is used: page misses of DRAM and parts of sectors cost a
 * factor 10 at most; measured 0.26 and more. Warps that wait while it is idler
 * wait for something else: pages, one word, the host. */
#define QUEUE_BUSY_LOW 0.05
#define QUEUE_BUSY_HIGH 0.10

/* Trips to memory may be this much longer than MEMORY_CYCLES_MOST: what then
 * still is unexplained, no counter explains. */
#define TRIPS_DOUBT 3

/* Of the time of warps, what known waits must explain to stand for all of it. */
#define EXPLAINED_LEAST 0.75

/* From one instruction of a warp to the next that needs its result, if nothing
 * else holds it up: cycles. */
#define ISSUE_CYCLES 6

/* Without counters it is not known whether latency limits: of a better
 * occupancy this much is believed. */
#define BELIEF_UNKNOWN 0.35

/* Occupancy at which half of the latency that warps can hide is hidden. */
#define OCCUPANCY_HALF 0.25

const char *const resource_name[RES_COUNT] = {
	[RES_DRAM] = "DRAM", [RES_L2] = "L2",
	[RES_L1] = "the L1/shared data pipe", [RES_ISSUE] = "instruction issue",
	[RES_ALU] = "the ALU pipe", [RES_FMA] = "the FMA pipe",
	[RES_FP64] = "the FP64 pipe", [RES_XU] = "the XU pipe",
	[RES_LSU] = "the LSU pipe", [RES_TENSOR] = "the tensor pipe",
	[RES_START] = "the start of blocks"
};

static double
metric(const struct kernel *k, enum metric_id id)
{
	double v = k->metric[id];

	return isfinite(v) && v >= 0 ? v : NAN;
}

static double
blocks_of(const struct kernel *k)
{
	return (double)k->shape.grid_x * k->shape.grid_y * k->shape.grid_z;
}

static double
or_zero(double v)
{
	return isfinite(v) ? v : 0;
}

static double
clamp01(double v)
{
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* How surely a resource that is ${busy} of the time busy explains it. */
static double
bound_of(double busy)
{
	return clamp01((busy - BUSY_LOW) / (BUSY_HIGH - BUSY_LOW));
}

/* Cache lines that a request of ${s} sectors touches: rows of neighbours fill
 * their lines (4 sectors); a fully scattered request has a line a lane. One
 * line is looked up a cycle, so each costs a wavefront. */
static double
lines_of(double s)
{
	if (!(s > 4))
		return 1;
	return s <= 16 ? s / 4 : 4 + (s - 16) / 16 * 28;
}

static double
op_wavefronts(double requests, double sectors)
{
	if (!(requests > 0))
		return 0;
	return requests * lines_of(or_zero(sectors) / requests);
}

/*
 * The same from the lines that each instruction looked up, for one request on
 * average: of accesses of several kinds the mean number of sectors says little.
 * Two lines are the two ends of what is not aligned: they come together, if their
 * sectors fit. NaN where instructions were not counted.
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
			lines = fmin(lines, lines_of(
			    or_zero(v[SOURCE_GLOBAL_SECTORS]) / n));
		requests += n;
		sum += n * fmin(32, fmax(1, lines));
	}
	return requests > 0 ? sum / requests : NAN;
}

static double
wavefronts_of(double counted, double requests, double sectors)
{
	return isnan(counted) ? op_wavefronts(requests, sectors) :
	    or_zero(requests) * counted;
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

	w[USER_SHARED_LD] = or_zero(metric(k, METRIC_SHARED_LD_WAVEFRONTS));
	w[USER_SHARED_ST] = or_zero(metric(k, METRIC_SHARED_ST_WAVEFRONTS));
	sum = w[USER_SHARED_LD] + w[USER_SHARED_ST];
	if (sum == 0 && shared > 0) {	/* not told apart */
		w[USER_SHARED_LD] = w[USER_SHARED_ST] = shared / 2;
		sum = shared;
	}
	w[USER_GLOBAL_LD] = wavefronts_of(counted_wavefronts(k->code,
	    SOURCE_GLOBAL_LD), l->requests_ld, l->ld_sectors);
	w[USER_GLOBAL_ST] = wavefronts_of(counted_wavefronts(k->code,
	    SOURCE_GLOBAL_ST), l->requests_st, l->st_sectors);
	w[USER_LOCAL] = local / 4;
	w[USER_OTHER] = 0;
	if (!(total > 0))
		return;
	/* What the pipe counted beyond shared memory goes to the global and
	 * local accesses in proportion to the estimate. */
	if (sum > total) {
		w[USER_SHARED_LD] *= total / sum;
		w[USER_SHARED_ST] *= total / sum;
		sum = total;
	}
	rest = total - sum;
	sum = w[USER_GLOBAL_LD] + w[USER_GLOBAL_ST] + w[USER_LOCAL];
	if (sum > 0) {
		w[USER_GLOBAL_LD] *= rest / sum;
		w[USER_GLOBAL_ST] *= rest / sum;
		w[USER_LOCAL] *= rest / sum;
	} else {
		w[USER_OTHER] = rest;
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
	/* Stores pass through L1; what else came from it are its misses. */
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
	sum = l->l2_ld + l->l2_st + l->l2_local;
	if (isfinite(l->l2_sectors) && sum > l->l2_sectors && sum > 0) {
		l->l2_ld *= l->l2_sectors / sum;
		l->l2_st *= l->l2_sectors / sum;
		l->l2_local *= l->l2_sectors / sum;
	}
}

/* Without stall counters: what a warp's accesses would make it wait if nothing
 * overlapped, over how long warps were resident. */
static double
wait_share(const struct kernel *k, const struct device *d, double accesses,
    double latency)
{
	double warp_cycles = metric(k, METRIC_OCCUPANCY) / 100 *
	    metric(k, METRIC_SM_CYCLES_ACTIVE_AVG) * d->limits.sms *
	    d->limits.max_warps_per_sm;

	if (!(warp_cycles > 0) || !isfinite(accesses))
		return NAN;
	return fmin(0.95, accesses * latency / warp_cycles);
}

static void
load_stalls(struct load *l, const struct kernel *k, const struct device *d)
{
	static const enum metric_id id[] = {
		METRIC_STALL_LONG_SCOREBOARD, METRIC_STALL_LG_THROTTLE,
		METRIC_STALL_SHORT_SCOREBOARD, METRIC_STALL_MIO_THROTTLE,
		METRIC_STALL_BARRIER, METRIC_STALL_MATH_THROTTLE,
		METRIC_STALL_WAIT
	};
	double v[7], own, sum = 1;	/* 1: the issue itself */
	bool known = true;

	l->memory_queue = l->unexplained = 0;
	for (int i = 0; i < 7; i++) {
		v[i] = metric(k, id[i]);
		known = known && (i >= 4 || isfinite(v[i]));
		sum += or_zero(v[i]);
	}
	l->stalls_known = known;
	if (known) {
		l->memory_stall = (v[0] + v[1]) / sum;
		l->shared_stall = (v[2] + v[3]) / sum;
		return;
	}
	l->memory_stall = wait_share(k, d, l->requests_ld +
	    or_zero(metric(k, METRIC_LOCAL_LD_INST)), MEMORY_CYCLES);
	l->shared_stall = wait_share(k, d, metric(k, METRIC_SHARED_LD_INST),
	    SHARED_CYCLES);
	/* Not known either: half of a typical kernel's waiting is for memory. */
	if (isnan(l->memory_stall))
		l->memory_stall = 0.5;
	if (isnan(l->shared_stall))
		l->shared_stall = 0.2;
	l->shared_stall = fmin(l->shared_stall, 1 - l->memory_stall);
	/* Where that and the instructions explain most of the time, the rest is
	 * more of the same: trips are longer where the TLB misses or DRAM is
	 * loaded. Where they explain little, warps wait for something else. */
	own = wait_share(k, d, metric(k, METRIC_INST_EXECUTED), ISSUE_CYCLES);
	sum = l->memory_stall + l->shared_stall + own;
	if (sum > EXPLAINED_LEAST && sum < 1) {
		l->memory_stall /= sum;
		l->shared_stall /= sum;
	}
}

/* The larger of a count at its ceiling and a measured share of the time. */
static double
larger(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : fmax(a, b);
}

static void
load_resources(struct load *l, const struct kernel *k, const struct device *d,
    const struct ceilings *c)
{
	static const struct { enum resource res; enum metric_id id; } pipe[] = {
		{ RES_ISSUE, METRIC_ISSUE_ACTIVE }, { RES_ALU, METRIC_PIPE_ALU },
		{ RES_FMA, METRIC_PIPE_FMA }, { RES_FP64, METRIC_PIPE_FP64 },
		{ RES_XU, METRIC_PIPE_XU }, { RES_LSU, METRIC_PIPE_LSU },
		{ RES_TENSOR, METRIC_PIPE_TENSOR }
	};
	double body = l->time_s - l->fixed_s, sum = 0, cycles_s;
	double *s = l->resource_s;

	for (int i = 0; i < RES_COUNT; i++)
		s[i] = NAN;
	/* Seconds of one event a cycle on each SM at work. */
	cycles_s = 1 / (fmax(1, d->limits.sms) * fmax(l->spread, 1e-3) *
	    c->sm_hz);
	if (isfinite(l->dram_read) || isfinite(l->dram_write))
		s[RES_DRAM] = (or_zero(l->dram_read) + or_zero(l->dram_write)) /
		    c->dram_bytes_per_s;
	if (isnan(s[RES_DRAM]))
		s[RES_DRAM] = metric(k, METRIC_DRAM_PCT) / 100 * body;
	s[RES_L2] = larger(l->l2_sectors * 32 / c->l2_bytes_per_s,
	    metric(k, METRIC_L2_PCT) / 100 * body);
	for (int i = 0; i < USER_COUNT; i++)
		sum += l->wavefronts[i];
	if (sum > 0 || isfinite(metric(k, METRIC_LSU_WAVEFRONTS)))
		s[RES_L1] = sum * cycles_s;
	for (size_t i = 0; i < sizeof(pipe) / sizeof(pipe[0]); i++)
		s[pipe[i].res] = metric(k, pipe[i].id) / 100 * body;
	if (isnan(s[RES_ISSUE]))	/* four schedulers an SM */
		s[RES_ISSUE] = metric(k, METRIC_INST_EXECUTED) / 4 * cycles_s;
	l->issue_s = k->code != NULL && k->code->counted ?
	    k->code->total[SOURCE_INST] / 4 * cycles_s : NAN;
	/* How busy that is says little while nothing else is known. */
	for (int i = 0; i < RES_START; i++)
		if (isfinite(s[i]))
			s[RES_START] = blocks_of(k) * START_CYCLES / c->sm_hz;
}

/* May its threads meet in shared memory? Whether it has any its launch says. */
static bool
may_share(const struct kernel *k)
{
	double ld = metric(k, METRIC_SHARED_LD_INST);
	double st = metric(k, METRIC_SHARED_ST_INST);

	return ld > 0 || st > 0 || ((isnan(ld) || isnan(st)) &&
	    (k->shape.smem_static > 0 || k->shape.smem_dynamic > 0));
}

/*
 * Without stall counters: what warps wait beyond their instructions and beyond
 * the longest trips to memory is a line in front of it: accesses that use parts
 * of sectors, or jump between DRAM pages, fill the memory system long before
 * its counters reach the ceiling. Not known for kernels with shared memory
 * (they may wait at barriers), and not where a pipe is what they wait for, nor
 * where the memory system is next to idle: what warps then wait for, no counter
 * tells (pages on their way, atomics on one word, the host behind a printf).
 */
static void
load_queue(struct load *l, const struct kernel *k, const struct device *d)
{
	double inst = metric(k, METRIC_INST_EXECUTED), trips, pipe = 0;
	double body = l->time_s - l->fixed_s, idle, loaded;

	if (l->stalls_known || may_share(k))
		return;
	trips = wait_share(k, d, l->requests_ld +
	    or_zero(metric(k, METRIC_LOCAL_LD_INST)), MEMORY_CYCLES_MOST);
	inst = wait_share(k, d, inst, ISSUE_CYCLES);
	if (isnan(trips) || isnan(inst))
		return;
	for (int i = RES_ISSUE; i < RES_COUNT; i++)
		pipe = fmax(pipe, or_zero(l->resource_s[i]) / body);
	idle = 1 - bound_of(pipe);
	loaded = clamp01((l->busy - QUEUE_BUSY_LOW) /
	    (QUEUE_BUSY_HIGH - QUEUE_BUSY_LOW));
	l->unexplained = fmax(0, 1 - TRIPS_DOUBT * (inst + trips)) * idle *
	    (1 - loaded);
	if (l->limit > RES_L1)
		return;
	l->memory_queue = fmax(0, 1 - inst - trips) * idle * loaded;
	l->memory_stall = fmin(0.99, fmax(l->memory_stall,
	    l->memory_queue + trips));
	l->bound = fmax(l->bound, l->memory_queue);
}

void
load_of(struct load *l, const struct kernel *k, const struct device *d,
    const struct ceilings *c)
{
	double avg = metric(k, METRIC_SM_CYCLES_ACTIVE_AVG);
	double max = metric(k, METRIC_SM_CYCLES_ACTIVE_MAX);
	double body, top = 0;

	l->time_s = k->time.count > 0 ? stat_mean(&k->time) * 1e-9 :
	    k->launches > 0 ? (double)k->total_ns / (double)k->launches * 1e-9 :
	    0;
	l->fixed_s = fmin(FIXED_S, l->time_s / 2);
	body = l->time_s - l->fixed_s;
	l->ld_sectors = metric(k, METRIC_GLOBAL_LD_SECTORS);
	l->st_sectors = metric(k, METRIC_GLOBAL_ST_SECTORS);
	l->requests_ld = metric(k, METRIC_GLOBAL_LD_REQUESTS);
	if (isnan(l->requests_ld))
		l->requests_ld = metric(k, METRIC_GLOBAL_LD_INST);
	l->requests_st = metric(k, METRIC_GLOBAL_ST_REQUESTS);
	if (isnan(l->requests_st))
		l->requests_st = metric(k, METRIC_GLOBAL_ST_INST);
	l->dram_read = metric(k, METRIC_DRAM_READ);
	l->dram_write = metric(k, METRIC_DRAM_WRITE);
	l->spread = avg > 0 && max > 0 ? clamp01(avg / max) :
	    clamp01(blocks_of(k) / fmax(1, d->limits.sms));
	l->occupancy = metric(k, METRIC_OCCUPANCY) / 100;
	if (!(l->occupancy > 0))
		l->occupancy = k->occupancy.known ? k->occupancy.ratio : NAN;
	if (!(l->occupancy > 0))
		l->occupancy = 0.5;
	l->occupancy = fmin(l->occupancy, 1);
	load_l1(l, k);
	load_l2(l, k);
	load_stalls(l, k, d);
	load_resources(l, k, d, c);
	l->limit = -1;
	for (int i = 0; i < RES_COUNT; i++)
		if (l->resource_s[i] > top) {
			top = l->resource_s[i];
			l->limit = i;
		}
	l->busy = NAN;
	l->bound = 0;
	if (l->limit < 0 || !(body > 0))
		return;
	if (top > body) {	/* a ceiling was low: it is full */
		for (int i = 0; i < RES_COUNT; i++)
			l->resource_s[i] *= body / top;
		top = body;
	}
	l->busy = top / body;
	l->bound = bound_of(l->busy);
	load_queue(l, k, d);
}

const char *
load_bound_name(const struct load *l)
{
	if (l->limit < 0)
		return NULL;
	return l->bound >= 0.5 ? resource_name[l->limit] : "latency";
}

void
fix_merge(struct fix *into, const struct fix *f)
{
	into->global_ld = fmin(into->global_ld, f->global_ld);
	into->global_st = fmin(into->global_st, f->global_st);
	into->shared_ld = fmin(into->shared_ld, f->shared_ld);
	into->shared_st = fmin(into->shared_st, f->shared_st);
	into->local = fmin(into->local, f->local);
	into->inst = fmin(into->inst, f->inst);
	into->occupancy = fmax(into->occupancy, f->occupancy);
	into->spread = fmax(into->spread, f->spread);
	into->flight = fmax(into->flight, f->flight);
	into->stall = fmin(into->stall, f->stall);
	for (int i = 0; i < RES_COUNT; i++)
		into->part[i] = fmin(into->part[i], f->part[i]);
	into->whole = fmin(into->whole, f->whole);
}

struct fix
fix_part(const struct fix *f, double share)
{
#define PART(x) (1 + share * (f->x - 1))
	struct fix p = { PART(global_ld), PART(global_st), PART(shared_ld),
	    PART(shared_st), PART(local), PART(inst), PART(occupancy),
	    PART(spread), PART(flight), PART(stall), { 0 },
	    PART(whole) };

	for (int i = 0; i < RES_COUNT; i++)
		p.part[i] = PART(part[i]);
	return p;
#undef PART
}

/* Sectors that L1 asks of L2 for accesses that need ${s} × ${r} of them: the
 * waste that L1 already absorbed is not there to be saved, except in the
 * favourable view. */
static double
misses_after(double misses, double s, double r, enum view v)
{
	if (r >= 1)
		return misses;
	return v == VIEW_HIGH ? misses * r : fmin(misses, s * r);
}

/* ${bytes} to or from DRAM without the share ${gone} that spills have of L2. What
 * the ${sectors} of global accesses explain by themselves does not go, except in
 * the favourable view: spills are young, and mostly still in a cache. */
static double
without(double bytes, double gone, double sectors, enum view v)
{
	double rest = bytes * (1 - gone);

	return v == VIEW_HIGH ? rest :
	    fmax(rest, fmin(bytes, or_zero(sectors) * 32));
}

/* Wavefronts of accesses that need ${r} of their sectors: a warp's own sectors
 * lie in lines of four; in the low view they are as scattered as before. */
static double
wavefronts_after(double old, double requests, double sectors, double r,
    enum view v)
{
	double new = old * r;

	if (r < 1 && v != VIEW_LOW)
		new = fmin(new, op_wavefronts(requests,
		    or_zero(sectors) * r));
	return fmin(old, fmax(or_zero(requests), new));
}

/* The resource times after ${f}. */
static void
resources_after(const struct load *l, const struct fix *f, enum view v,
    double s[RES_COUNT])
{
	double w[USER_COUNT], old = 0, new = 0;
	double l2, read, write, gone, gone_l2;

	for (int i = 0; i < RES_COUNT; i++)
		s[i] = or_zero(l->resource_s[i]);
	for (int i = 0; i < USER_COUNT; i++)
		old += w[i] = l->wavefronts[i];
	w[USER_GLOBAL_LD] = wavefronts_after(w[USER_GLOBAL_LD], l->requests_ld,
	    l->ld_sectors, f->global_ld, v);
	w[USER_GLOBAL_ST] = wavefronts_after(w[USER_GLOBAL_ST], l->requests_st,
	    l->st_sectors, f->global_st, v);
	w[USER_LOCAL] *= f->local;
	w[USER_SHARED_LD] *= f->shared_ld;
	w[USER_SHARED_ST] *= f->shared_st;
	for (int i = 0; i < USER_COUNT; i++)
		new += w[i];
	if (old > 0)
		s[RES_L1] *= new / old;

	l2 = l->l2_ld + l->l2_st + l->l2_local;
	gone = l2 - misses_after(l->l2_ld, or_zero(l->ld_sectors),
	    f->global_ld, v) - l->l2_st * f->global_st -
	    l->l2_local * f->local;
	if (l->l2_sectors > 0)
		s[RES_L2] *= fmax(0, 1 - gone / l->l2_sectors);
	gone_l2 = fmax(0, gone);

	read = or_zero(l->dram_read);
	write = or_zero(l->dram_write);
	old = read + write;
	if (f->global_ld < 1)
		read = fmin(read, or_zero(l->ld_sectors) * f->global_ld * 32);
	if (f->global_st < 1)
		write = fmin(write, or_zero(l->st_sectors) * f->global_st * 32);
	if (l->l2_sectors > 0) {	/* spills reach DRAM as others do */
		gone = l->l2_local * (1 - f->local) / l->l2_sectors;
		read = without(read, gone, l->ld_sectors, v);
		write = without(write, gone, l->st_sectors, v);
	}
	if (old > 0)
		s[RES_DRAM] *= (read + write) / old;
	/* What L2 counts beyond L1's requests are mostly its own fills. */
	if (old > 0 && l->l2_sectors > l2)
		s[RES_L2] *= fmax(0, 1 - (l->l2_sectors - l2) *
		    (1 - (read + write) / old) / fmax(l->l2_sectors - gone_l2,
		    1));

	for (int i = RES_ISSUE; i <= RES_TENSOR; i++)
		s[i] *= f->inst;
	for (int i = 0; i < RES_COUNT; i++)
		s[i] *= f->part[i];
	for (int i = RES_L1; i <= RES_TENSOR; i++)
		s[i] /= f->spread;
}

/* The resource-bound time after a change that leaves resource times ${s}. What
 * the busiest resource did not explain of the time shrinks with it; in the low
 * view it stays. If another resource takes over, it gets as busy as is usual,
 * or as it is now; so does the same one, if what kept it from getting there was
 * how memory was accessed, and ${f} changes that. */
static double
bound_after(const struct load *l, const struct fix *f,
    const double s[RES_COUNT], enum view v)
{
	double body = l->time_s - l->fixed_s, old = l->resource_s[l->limit];
	double busy = old / body, top = 0, time = 0;

	if (v != VIEW_LOW && (f->global_ld < 1 || f->global_st < 1))
		busy += (fmax(busy, v == VIEW_MID ? BUSY_USUAL : 1) - busy) *
		    l->memory_queue;

	for (int i = 0; i < RES_COUNT; i++) {
		double now = or_zero(l->resource_s[i]) / body;
		double reach = i == l->limit ? busy :
		    fmin(busy, fmax(BUSY_USUAL, now));

		top = fmax(top, s[i]);
		time = fmax(time, s[i] / reach);
	}
	if (v == VIEW_LOW)
		return body - (old - fmin(old, top));
	return v == VIEW_MID ? time : top / busy;
}

/* How much of the waiting for memory goes when traffic falls to ${r}: waiting
 * is the trip itself, which stays, and queueing, which goes. How they divide
 * ${share} is known for the part ${queue} alone. */
static double
wait_after(double share, double queue, double r, enum view v)
{
	if (v == VIEW_LOW)
		return 1 - queue / 2 * (1 - r);
	if (v == VIEW_HIGH)
		return 1 - share * (1 - r);
	return 1 - queue * (1 - r) - (share - queue) * (1 - sqrt(r));
}

/* Time with ${more} times the resident warps. Trips to memory go down as
 * Little's law says, 1 / more; a line in front of it is as long as before. Of
 * the other waits (barriers, arithmetic) every warp hides less than the one
 * before it: half of all that can be hidden is hidden at OCCUPANCY_HALF. */
static double
warps_after(const struct load *l, double more, enum view v)
{
	double rest = (l->occupancy + OCCUPANCY_HALF / more) /
	    (l->occupancy + OCCUPANCY_HALF);
	double queue = l->memory_queue;
	double time = queue + (l->memory_stall - queue) / more +
	    (1 - l->memory_stall) * rest;

	if (v == VIEW_HIGH)
		return queue + (1 - queue) / more;
	return v == VIEW_MID ? time : 1 - (1 - rest) / 2;
}

/* The latency bound after ${f}, new / old. */
static double
latency_after(const struct load *l, const struct fix *f, enum view v)
{
	double sectors = or_zero(l->ld_sectors) + or_zero(l->st_sectors);
	double shared = l->wavefronts[USER_SHARED_LD] +
	    l->wavefronts[USER_SHARED_ST];
	double scale = 1, warps = warps_after(l, f->occupancy, v);
	double inst = f->inst;

	if (sectors > 0)
		scale *= wait_after(l->memory_stall, l->memory_queue,
		    (or_zero(l->ld_sectors) * f->global_ld +
		    or_zero(l->st_sectors) * f->global_st) / sectors, v);
	if (shared > 0)
		scale *= wait_after(l->shared_stall, 0,
		    (l->wavefronts[USER_SHARED_LD] * f->shared_ld +
		    l->wavefronts[USER_SHARED_ST] * f->shared_st) / shared, v);
	scale *= 1 - l->memory_stall * l->local_share * (1 - f->local) *
	    (v == VIEW_LOW ? 0.5 : 1);
	/* Trips that a warp makes at once instead of one after the other. */
	scale *= 1 - fmax(0, l->memory_stall - l->memory_queue) *
	    (1 - 1 / f->flight) * (v == VIEW_LOW ? 0.5 : 1);
	scale *= v == VIEW_LOW ? 1 - (1 - f->stall) / 2 : f->stall;
	if (v == VIEW_LOW)
		inst = 1 - (1 - inst) / 2;
	if (l->limit < 0) {
		double belief = v == VIEW_LOW ? 0 :
		    v == VIEW_MID ? BELIEF_UNKNOWN : 1;

		warps = 1 - belief * (1 - warps);
		inst = 1 - belief * (1 - inst);
	}
	warps *= inst / f->spread;
	/* Whether warps, instructions and SMs matter to it, nobody knows. */
	if (v != VIEW_HIGH)
		warps = 1 - (1 - l->unexplained) * (1 - warps);
	return scale * warps;
}

/* All of ${f} but what becomes part of another kernel. */
static double
time_alone(const struct load *l, const struct fix *f, enum view v)
{
	double body = l->time_s - l->fixed_s, s[RES_COUNT];
	double least = 0, kept = body, late, bound, time;

	if (!(body > 0))
		return l->time_s;
	if (l->limit >= 0) {
		resources_after(l, f, v, s);
		for (int i = 0; i < RES_COUNT; i++)
			least = fmax(least, s[i]);
		kept = fmin(body, bound_after(l, f, s, v));
		/* In a line in front of the memory system no resource is what
		 * they wait for, but each other. */
		if (l->memory_queue > bound_of(l->busy))
			kept *= v == VIEW_LOW ? 1 - (1 - f->stall) / 2 :
			    f->stall;
	}
	if (l->limit < 0 && l->issue_s > 0)
		least = fmin(body, l->issue_s * f->inst / f->spread);
	late = body * fmin(1, latency_after(l, f, v));
	bound = l->bound;
	/* Which of the two explains the time is not known that well. */
	if (v == VIEW_HIGH && bound > 0 && bound < 1)
		bound = clamp01(bound + (kept < late ? BOUND_DOUBT :
		    -BOUND_DOUBT));
	time = bound * kept + (1 - bound) * late;
	time = fmin(body, fmax(least, time));
	return l->fixed_s + time;
}

double
gain_time(const struct load *l, const struct fix *f, enum view v)
{
	return time_alone(l, f, v) * clamp01(f->whole);
}

double
gain_exposed_s(const struct kernel *k)
{
	double total = (double)k->total_ns * 1e-9;
	double exposed = k->exposed_ns * 1e-9;

	return isfinite(exposed) ? fmin(fmax(exposed, 0), total) : total;
}

struct gain
gain_of(const struct load *l, const struct kernel *k,
    const struct fix fix[VIEWS])
{
	double exposed = gain_exposed_s(k), s[VIEWS];
	struct gain g;

	for (int v = VIEW_LOW; v < VIEWS; v++) {
		s[v] = l->time_s > 0 ? (1 - gain_time(l, &fix[v],
		    (enum view)v) / l->time_s) * exposed : 0;
		s[v] = isfinite(s[v]) && s[v] > 0 ? s[v] : 0;
	}
	g.mid = s[VIEW_MID];
	g.low = fmin(s[VIEW_LOW], g.mid);
	g.high = fmax(s[VIEW_HIGH], g.mid);
	return g;
}
