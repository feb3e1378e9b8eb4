/*
 * rules/gain/wait.c: the waiting of warps, see wait.h.
 */
#include <math.h>

#include "facts/cycles.h"
#include "rules/gain/wait.h"

/* Unloaded latency, in cycles, of a load that hits L1, that hits L2, that DRAM
 * serves, and if it is not known which; of a conflict-free shared load. Public
 * microbenchmarks of V100, A100 and H100 have 28 to 40, 190 to 270, 470 to 600. */
#define L1_CYCLES 35
#define L2_CYCLES 250
#define DRAM_CYCLES 550
#define MEMORY_CYCLES 500
#define SHARED_CYCLES 30

/* With fewer samples, a share of a fifth is not known to within 3 points. */
#define SAMPLES_LEAST 200

/* The share that launches like this one must have of the sampled time: the
 * others then change a share of waiting by less than half of their difference. */
#define PART_LEAST 0.6

/* A queue in front of memory keeps its busiest part busy, however badly it is
 * used: page misses of DRAM and partial sectors cost a factor of 10 at most.
 * Warps that wait while it is less busy wait for something else: pages, one
 * word, the host. Queues that were measured kept it busy QUEUE_BUSY_SEEN and
 * more. */
#define QUEUE_BUSY_LOW 0.05
#define QUEUE_BUSY_HIGH 0.10
#define QUEUE_BUSY_SEEN 0.26

/* The share of the warps' time that known waits must explain to stand for all of it. */
#define EXPLAINED_LEAST 0.75

/* Without stall counters: the time that a warp's accesses would take without
 * overlap / its resident time; NaN. */
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

/* Sets the shares from stall counters, which are in warps per issued
 * instruction. False if some are missing. */
static bool
stalls_counted(struct load *l, const struct kernel *k)
{
	static const enum metric_id id[] = {
		METRIC_STALL_LONG_SCOREBOARD, METRIC_STALL_LG_THROTTLE,
		METRIC_STALL_SHORT_SCOREBOARD, METRIC_STALL_MIO_THROTTLE,
		METRIC_STALL_BARRIER, METRIC_STALL_MATH_THROTTLE,
		METRIC_STALL_WAIT
	};
	double v[7], sum = 1;	/* 1: the issue itself */

	for (int i = 0; i < 7; i++) {
		v[i] = metric(k, id[i]);
		if (i < 4 && isnan(v[i]))
			return false;
		sum += or_zero(v[i]);
	}
	l->throttle = v[1] / sum;
	l->memory_stall = (v[0] + v[1]) / sum;
	l->shared_stall = (v[2] + v[3]) / sum;
	return true;
}

static double
sampled(const struct code *c, uint32_t mask)
{
	return samples_stalled(&c->samples, mask) / (double)c->samples.all;
}

/* Sets the shares from PC samples, if these are of this launch shape alone, or
 * mostly of shapes that load an SM in the same way. */
static bool
stalls_sampled(struct load *l, const struct kernel *k)
{
	const struct code *c = k->code;

	if (c == NULL || !c->sampled || c->samples.all < SAMPLES_LEAST ||
	    (c->sample_kernels > 1 && !(c->sample_part >= PART_LEAST)))
		return false;
	l->throttle = sampled(c, STALL_BIT(LG_THROTTLE) |
	    STALL_BIT(TEX_THROTTLE));
	l->memory_stall = sampled(c, STALL_BIT(LONG_SCOREBOARD)) + l->throttle;
	l->shared_stall = sampled(c, STALLS_SHARED);
	l->other_stall = sampled(c, STALL_BIT(MEMBAR) | STALL_BIT(DRAIN) |
	    STALL_BIT(SLEEPING) | STALL_BIT(MISC) | STALL_BIT(OTHER));
	return true;
}

/* Trips to memory that a warp waits for: loads in flight together count as one. */
static double
trips_of(const struct load *l, const struct kernel *k)
{
	double together = k->code != NULL ? k->code->together : 1;

	return l->requests_ld / (together > 1 ? together : 1) +
	    or_zero(metric(k, METRIC_LOCAL_LD_INST));
}

/* Mean latency of a load in cycles, by where its sectors were found; ${dram}:
 * cycles if that was DRAM. */
static double
trip_cycles(const struct load *l, double dram)
{
	double asked = or_zero(l->ld_sectors), missed = l->l2_ld, far;

	if (!(asked > 0) || !isfinite(missed))
		return dram == DRAM_CYCLES ? MEMORY_CYCLES : dram;
	far = l->dram_read / 32 / fmax(1, missed + l->l2_local);
	far = isfinite(far) ? clamp01(far) : 1;
	missed = clamp01(missed / asked);
	return (1 - missed) * L1_CYCLES + missed *
	    ((1 - far) * L2_CYCLES + far * dram);
}

double
wait_staged(const struct load *l)
{
	return fmin(1, SHARED_CYCLES / trip_cycles(l, DRAM_CYCLES));
}

/* The largest share of waiting: warps that could issue do not wait. */
static double
waiting_most(const struct load *l, const struct kernel *k,
    const struct device *d)
{
	double eligible = metric(k, METRIC_WARPS_ELIGIBLE);
	double resident = l->occupancy * d->limits.max_warps_per_sm /
	    d->sm->schedulers;

	return isfinite(eligible) && resident > 0 ?
	    clamp01(1 - eligible / resident) : 1;
}

void
wait_stalls(struct load *l, const struct kernel *k, const struct device *d)
{
	double own, sum, most = waiting_most(l, k, d);

	l->memory_queue = l->unexplained = l->other_stall = l->throttle = 0;
	l->stalls_sampled = false;
	l->stalls_known = stalls_counted(l, k);
	if (l->stalls_known)
		return;
	l->stalls_known = l->stalls_sampled = stalls_sampled(l, k);
	if (l->stalls_known)
		return;
	l->memory_stall = wait_share(k, d, trips_of(l, k),
	    trip_cycles(l, DRAM_CYCLES));
	l->shared_stall = wait_share(k, d, metric(k, METRIC_SHARED_LD_INST),
	    SHARED_CYCLES);
	/* If that is not known either: half of a typical kernel's waiting is
	 * for memory. */
	if (isnan(l->memory_stall))
		l->memory_stall = 0.5;
	if (isnan(l->shared_stall))
		l->shared_stall = 0.2;
	l->shared_stall = fmin(l->shared_stall, 1 - l->memory_stall);
	/* If memory and instructions explain most of the time, the rest is
	 * assumed to be more of the same: trips are longer if the TLB misses or
	 * DRAM is loaded. If they explain little, warps wait for something else. */
	own = wait_share(k, d, metric(k, METRIC_INST_EXECUTED),
	    CYCLES_ISSUE);
	sum = l->memory_stall + l->shared_stall + own;
	if (sum > EXPLAINED_LEAST && sum < 1) {
		l->memory_stall /= sum;
		l->shared_stall /= sum;
	}
	l->memory_stall = fmin(l->memory_stall, most);
	l->shared_stall = fmin(l->shared_stall, most - l->memory_stall);
}

/* May its threads synchronise through shared memory? Its launch tells whether
 * it has any. */
static bool
may_share(const struct kernel *k)
{
	double ld = metric(k, METRIC_SHARED_LD_INST);
	double st = metric(k, METRIC_SHARED_ST_INST);

	return ld > 0 || st > 0 || ((isnan(ld) || isnan(st)) &&
	    (k->shape.smem_static > 0 || k->shape.smem_dynamic > 0));
}

/* wait_queue with samples that tell how long warps waited for memory. Without
 * shared memory the MIO queue holds global accesses, too. */
static void
queue_sampled(struct load *l, const struct kernel *k, double trips,
    double loaded)
{
	double mio = sampled(k->code, STALL_BIT(MIO_THROTTLE));

	l->unexplained = fmin(1, l->other_stall + (1 - loaded) *
	    fmax(0, l->memory_stall - TRIPS_DOUBT * trips));
	if (l->limit > RES_L1)
		return;
	if (!may_share(k)) {
		l->throttle += mio;
		l->memory_stall += mio;
		l->shared_stall -= mio;
	}
	l->memory_queue = fmax(l->throttle,
	    fmax(0, l->memory_stall - trips) * loaded);
	/* The queue explains what its busiest part does not. */
	l->bound += (1 - l->bound) * l->memory_queue;
}

/*
 * Without stall counters: waiting beyond the instructions and the longest trips
 * to memory is a queue in front of memory. Accesses that use parts of sectors,
 * or jump between DRAM pages, saturate the memory system long before its
 * counters reach the ceiling. Not known for kernels with shared memory (they
 * may wait at barriers), nor if a pipe is what they wait for, nor if the memory
 * system is almost idle: then no counter tells what warps wait for (page
 * migration, atomics on one word, the host behind a printf).
 */
void
wait_queue(struct load *l, const struct kernel *k, const struct device *d)
{
	double inst = metric(k, METRIC_INST_EXECUTED), trips, pipe = 0;
	double body = l->time_s - l->fixed_s, idle, loaded;

	if ((l->stalls_known && !l->stalls_sampled) ||
	    (!l->stalls_sampled && may_share(k)))
		return;
	trips = wait_share(k, d, trips_of(l, k),
	    trip_cycles(l, CYCLES_TRIP));
	inst = wait_share(k, d, inst, CYCLES_ISSUE);
	if (isnan(trips) || isnan(inst))
		return;
	for (int i = RES_ISSUE; i < RES_COUNT; i++)
		pipe = fmax(pipe, or_zero(l->resource_s[i]) / body);
	idle = 1 - load_bound(pipe);
	loaded = clamp01((l->busy - QUEUE_BUSY_LOW) /
	    (QUEUE_BUSY_HIGH - QUEUE_BUSY_LOW));
	if (l->stalls_sampled) {
		queue_sampled(l, k, trips, loaded);
		return;
	}
	l->unexplained = fmax(0, 1 - TRIPS_DOUBT * (inst + trips)) * idle *
	    (1 - loaded);
	if (l->limit > RES_L1)
		return;
	l->memory_queue = fmax(0, 1 - inst - trips) * idle * loaded;
	l->memory_stall = fmin(0.99, fmax(l->memory_stall,
	    l->memory_queue + trips));
	l->bound = fmax(l->bound, l->memory_queue);
}

double
wait_queue_sure(const struct load *l)
{

	return l->stalls_known || isnan(l->busy) ? 1 :
	    clamp01((l->busy - QUEUE_BUSY_HIGH) /
	    (QUEUE_BUSY_SEEN - QUEUE_BUSY_HIGH));
}
