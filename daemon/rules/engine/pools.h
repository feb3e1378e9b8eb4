/*
 * rules/engine/pools.h: the time that findings about the run can recover, and what of it
 * others leave: pools of idle and copy time that empty as they claim. Pure.
 */
#ifndef CADV_POOLS_H
#define CADV_POOLS_H

#include "rules/engine/rule.h"

/* The pools behind those of the idle causes (rule.h, POOL_…). */
enum pool_at {
	AT_COPIES = IDLE_CAUSES,
	AT_FAULTS, AT_SHARE, AT_TURNS,	/* part of the kernels' own time */
	AT_ISSUED, AT_LAUNCHED		/* what the host's calls keep the run for */
};

/* A number of seconds that is one; else 0. */
double pools_sane(double s);

/* What kernels and copies together can save at most; and the kernels: their own
 * time. */
double pools_exposed_s(const struct run *run);
double pools_kernels_s(const struct run *run);

/* pools_of(run, pool): fill ${pool}. */
void pools_of(const struct run *run, double pool[POOLS]);

/* pools_take(pool, pools, s, taken): take up to ${s} seconds out of ${pools}, first out
 * of those that few others may claim; returns what was there, and adds it to
 * ${taken}, unless NULL. */
double pools_take(double pool[POOLS], uint32_t pools, double s,
    double taken[POOLS]);

/* pools_room(pool, pools): what ${pools} hold. */
double pools_room(const double pool[POOLS], uint32_t pools);

/* pools_claimed(d, pool, v): one view of all claims of a finding, which may draw on
 * the same pools. */
double pools_claimed(const struct draft *d, const double pool[POOLS],
    enum view v);

#endif
