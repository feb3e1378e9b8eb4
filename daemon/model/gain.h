/*
 * model/gain.h: what a change to a kernel gains. Pure: no state, no memory.
 *
 * A launch is modelled as a fixed cost (starting and draining the grid), plus
 * the larger of what its busiest resource needs (work / ceiling) and what
 * latency costs (Little's law: time goes down as more work is in flight).
 * How busy the busiest resource is says which of the two explains the time.
 * A struct fix says what a change does to the work or to what is in flight;
 * the model is evaluated again with it. Only ratios to the measured time are
 * used, so that the model of the unchanged kernel is its measured time, and a
 * fix of what does not limit the kernel gains next to nothing.
 */
#ifndef CADV_GAIN_H
#define CADV_GAIN_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;
struct device;
struct ceilings;

enum resource {
	RES_DRAM, RES_L2, RES_L1, RES_ISSUE, RES_ALU, RES_FMA, RES_FP64, RES_XU,
	RES_LSU, RES_TENSOR,
	RES_START,		/* of blocks, one after the other, for the whole GPU */
	RES_COUNT
};
/* "DRAM", "L2", "L1 and shared memory" … */
extern const char *const resource_name[RES_COUNT];

/* Who uses the L1 data pipe (wavefronts of a launch, all SMs). */
enum pipe_user {
	USER_GLOBAL_LD, USER_GLOBAL_ST, USER_LOCAL, USER_SHARED_LD,
	USER_SHARED_ST, USER_OTHER, USER_COUNT
};

/* The demands of one launch. Seconds unless said otherwise; NaN: unknown. */
struct load {
	double time_s;			/* measured, mean of a launch */
	double fixed_s;			/* of it, start and drain */
	double resource_s[RES_COUNT];	/* each alone at its ceiling */
	double wavefronts[USER_COUNT];
	double requests_ld, requests_st;	/* global, the fewest wavefronts */
	double ld_sectors, st_sectors;		/* global, asked of L1 */
	double l2_sectors, l2_ld, l2_st, l2_local;	/* all; of it … */
	double dram_read, dram_write;		/* bytes */
	double memory_stall, shared_stall;	/* shares of waiting, 0..1 */
	double memory_queue;	/* of memory_stall, what trips to memory do not
				 * explain: waiting in line for it */
	double unexplained;	/* of the time of warps, waits that neither
				 * instructions nor memory explain, 0..1 */
	bool stalls_known;	/* measured, not estimated */
	double local_share;		/* of global+local L1 sectors */
	double spread;			/* SMs at work / SMs, 0..1 */
	double occupancy;		/* achieved, else theoretical, 0..1 */
	double issue_s;			/* counted instructions, issued without a
					 * pause: all that is known of a kernel
					 * whose limit is not */
	int limit;			/* busiest enum resource; -1 unknown */
	double busy;			/* its share of the time, 0..1; NaN */
	double bound;			/* 0 latency explains the time … 1 the
					 * busiest resource does, or the line in
					 * front of the memory system */
};

/* What a change does: new / old; 1 leaves a thing as it is. */
struct fix {
	double global_ld, global_st;	/* sectors, ≤ 1 */
	double shared_ld, shared_st;	/* wavefronts, ≤ 1 */
	double local;			/* local memory traffic, ≤ 1 */
	double inst;			/* warp instructions, ≤ 1 */
	double occupancy;		/* resident warps, ≥ 1 */
	double spread;			/* speed-up of what each SM does by
					 * spreading the blocks better, ≥ 1 */
	double flight;			/* accesses a warp has in flight, ≥ 1 */
	double stall;			/* the time warps wait for each other or
					 * for results, ≤ 1 */
	double part[RES_COUNT];		/* work of one resource, on top of what
					 * the others above take from it, ≤ 1 */
	double whole;			/* what is left of the launch's time, its
					 * fixed cost with it, where the rest
					 * becomes part of another kernel, ≤ 1 */
};

#define FIX_NONE { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,			\
	{ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 1 }

enum view { VIEW_LOW, VIEW_MID, VIEW_HIGH, VIEWS };

/* Seconds, or another quantity, with its interval: low ≤ mid ≤ high. */
struct gain {
	double low, mid, high;
};

/* load_of(l, k, d, c): the demands of ${k} on device ${d} with ceilings ${c}. */
void load_of(struct load *l, const struct kernel *k, const struct device *d,
    const struct ceilings *c);

/* load_bound_name(l): "DRAM", "L2", … or "latency"; NULL if unknown. */
const char *load_bound_name(const struct load *l);

/* fix_merge(into, f): both changes at once. The stronger of two changes to one
 * thing counts; they are taken to be the same. */
void fix_merge(struct fix *into, const struct fix *f);

/* fix_part(f, share): a change that reaches ${share} (0..1) of ${f}. */
struct fix fix_part(const struct fix *f, double share);

/* gain_time(l, f, v): seconds of a launch after ${f}, never more than before;
 * ${v} is how much of what cannot be known is taken in favour of the change. */
double gain_time(const struct load *l, const struct fix *f, enum view v);

/*
 * gain_of(l, k, fix): seconds of the run that the fixes ${fix}[low, mid, high]
 * of ${k} save over all its launches: the relative gain of a launch times the
 * kernel's exposed time. Never negative, never more than the exposed time.
 */
struct gain gain_of(const struct load *l, const struct kernel *k,
    const struct fix fix[VIEWS]);

/* gain_exposed_s(k): seconds by which ${k} lengthens the run. */
double gain_exposed_s(const struct kernel *k);

#endif
