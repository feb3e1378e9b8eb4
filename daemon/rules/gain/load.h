/*
 * rules/gain/load.h: the demands of a launch, and how much of its time they
 * explain. Pure: no state, no memory.
 *
 * A launch is modelled as a fixed cost (starting and draining the grid) plus the
 * larger of what its busiest resource needs (work / ceiling) and what latency
 * costs (Little's law: time goes down as more work is in flight). The utilisation
 * of the busiest resource decides which of the two explains the time.
 */
#ifndef CADV_LOAD_H
#define CADV_LOAD_H

#include <math.h>
#include <stdbool.h>

#include "facts/chip.h"
#include "model/model.h"

enum resource {
	RES_DRAM, RES_L2, RES_L1, RES_ISSUE, RES_ALU, RES_FMA, RES_FP64, RES_XU,
	RES_LSU, RES_TENSOR,
	RES_START,		/* starting blocks one after the other, for the
				 * whole GPU */
	RES_COUNT
};
/* "DRAM", "L1/shared data pipe"; and in a sentence: "the L1/shared data pipe". */
extern const char *const resource_name[RES_COUNT];
extern const char *const resource_said[RES_COUNT];

/* Users of the L1 data pipe (wavefronts of a launch, all SMs). */
enum pipe_user {
	USER_GLOBAL_LD, USER_GLOBAL_ST, USER_LOCAL, USER_SHARED_LD,
	USER_SHARED_ST, USER_OTHER, USER_COUNT
};

/* What is known of a launch, in order of prediction quality (gain.c). */
enum grounds {
	GROUNDS_TRACE,		/* its launch, perhaps its code: no counters */
	GROUNDS_PART,		/* counters of a first launch only, or with
				 * estimates from samples or code */
	GROUNDS_WHOLE,		/* also the utilisation of its pipes */
	GROUNDS
};

/* Trips to memory and instructions may take this many times their expected
 * length: only time beyond that counts as unexplained by counters. */
#define TRIPS_DOUBT 3

/* The demands of one launch. Seconds unless said otherwise; NaN: unknown. */
struct load {
	double time_s;			/* of the launch that the counters are
					 * of; the mean of all if they do not
					 * tell, or agree with it */
	double like;			/* share of the kernel's time in
					 * launches of about that length, 0..1;
					 * 1: its own length is not known */
	double excess;			/* share by which longer launches exceed
					 * it, if it is known that their
					 * accesses differ; else 0 */
	double fixed_s;			/* of time_s: start and drain */
	double resource_s[RES_COUNT];	/* of each alone, at its ceiling */
	double wavefronts[USER_COUNT];
	double requests_ld, requests_st;	/* global; the fewest wavefronts */
	double ld_sectors, st_sectors;		/* global, requested from L1 */
	double l2_sectors, l2_ld, l2_st, l2_local;	/* all; of these: … */
	double l2_atom;		/* … atomics; 0: none, or not known */
	double line_s;		/* that atomics on one place take one after the other,
				 * if that is most of the time; else 0. Only the
				 * code tells: load_of sets 0 */
	double dram_read, dram_write;		/* bytes */
	double memory;		/* all memory in bytes: no more can differ; NaN */
	double memory_stall, shared_stall;	/* shares of the warps' time, 0..1 */
	double memory_queue;	/* of memory_stall: not explained by trips to
				 * memory: queueing for it */
	double unexplained;	/* share of the warps' time that neither
				 * instructions nor memory explain, 0..1 */
	double throttle;	/* of memory_stall: waiting to issue an access,
				 * proportional to the accesses */
	double other_stall;	/* share of waiting for none of these, nor for
				 * other warps or instructions; sampled */
	bool stalls_known;	/* measured, not estimated; */
	bool stalls_sampled;	/* by PC samples, not counters */
	double local_share;		/* of global and local L1 sectors */
	double local_sectors;		/* those, requested from L1 */
	double scattered;		/* share of the loaded sectors of which single
					 * lanes ask for one each, 0..1 */
	double spread;			/* SMs at work / SMs, 0..1 */
	double blocks;			/* of the grid, per SM */
	double warps;			/* of the grid / warps that all SMs hold */
	double occupancy;		/* achieved, else theoretical, 0..1 */
	double issue_s;			/* counted instructions, issued back to
					 * back: all that is known of a kernel
					 * without a known limit */
	enum grounds grounds;
	int limit;			/* busiest enum resource; -1 unknown */
	double busy;			/* its share of the time, 0..1; NaN */
	double bound;			/* 0: latency explains the time … 1: the
					 * busiest resource does, or the queue
					 * in front of memory */
};

/* metric(k, id): a counter of ${k}; NaN if it is not a number >= 0. */
static inline double
metric(const struct kernel *k, enum metric_id id)
{
	double v = k->metric[id];

	return isfinite(v) && v >= 0 ? v : NAN;
}

static inline double
or_zero(double v)
{
	return isfinite(v) ? v : 0;
}

static inline double
clamp01(double v)
{
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* load_of(l, k, d): fill ${l} with the demands of ${k} on device ${d}. */
void load_of(struct load *l, const struct kernel *k, const struct device *d);

/* load_counted(k): is any counter of ${k} known? */
bool load_counted(const struct kernel *k);

/* samples_stalled(s, mask): samples with a reason in ${mask}, a set of STALL_BITs. */
double samples_stalled(const struct samples *s, uint32_t mask);

/* load_cycles(c, results): scheduler cycles for which a warp's instruction
 * occupies its part of a pipe with a rate of ${results} per SM and cycle. */
double load_cycles(const struct chip *c, uint16_t results);

/* load_bound_name(l): "DRAM", "L2", … or "latency"; NULL if unknown. */
const char *load_bound_name(const struct load *l);

/* load_bound(busy): how surely a resource with utilisation ${busy} explains the
 * time, 0..1. */
double load_bound(double busy);

/* load_dram(read, write): bytes of a copy that keep DRAM busy for as long as
 * reading ${read} and writing ${write} bytes. */
double load_dram(double read, double write);

/* load_wavefronts(requests, sectors): the fewest wavefronts of ${requests}
 * global accesses that need ${sectors} sectors in all. */
double load_wavefronts(double requests, double sectors);

/* load_waves(l): the wavefronts of all users. */
double load_waves(const struct load *l);

/* load_lines(sectors): the cache lines that a request of ${sectors} touches. L1
 * looks up one per cycle, so each costs a wavefront. Neighbouring accesses fill
 * their lines (4 sectors); a fully scattered request has a line per lane. */
double load_lines(double sectors);

#endif
