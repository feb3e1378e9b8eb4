/*
 * model/wait.c: what warps wait for, see wait.h.
 */
#include <math.h>

#include "model/wait.h"

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

void
wait_stalls(struct load *l, const struct kernel *k, const struct device *d)
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
void
wait_queue(struct load *l, const struct kernel *k, const struct device *d)
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
	idle = 1 - load_bound(pipe);
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
