/*
 * rules/engine/pools.h: the time that findings about the run can recover, and what
 * others leave of it: pools of idle and copy time that are drained by claims. Pure.
 */
#ifndef CADV_POOLS_H
#define CADV_POOLS_H

#include "rules/engine/rule.h"

/* The pools after those of the idle causes (rule.h, POOL_…). */
enum pool_at {
	AT_COPIES = IDLE_CAUSES,
	AT_FAULTS, AT_SHARE, AT_TURNS,	/* parts of the kernels' own time */
	AT_ISSUED, AT_LAUNCHED,		/* time of the host's calls that
					 * lengthens the run */
	AT_ROUNDS			/* idle between rounds (pauses.h) */
};

/* pools_sane(s): ${s} if it is finite and positive, else 0. */
double pools_sane(double s);

/* pools_exposed_s(run): the most that kernels and copies together can save, s;
 * pools_kernels_s(run): kernels alone. */
double pools_exposed_s(const struct run *run);
double pools_kernels_s(const struct run *run);

/* pools_of(run, pool): fill ${pool}. */
void pools_of(const struct run *run, double pool[POOLS]);

/* pools_take(pool, pools, s, taken): take up to ${s} seconds out of ${pools},
 * first out of those that few others can claim. Returns the seconds taken, and
 * adds them to ${taken} by pool, unless NULL. */
double pools_take(double pool[POOLS], uint32_t pools, double s,
    double taken[POOLS]);

/* pools_room(pool, pools): the seconds that ${pools} hold. */
double pools_room(const double pool[POOLS], uint32_t pools);

/* pools_claimed(d, pool, v): seconds of all claims of a finding in view ${v};
 * its claims may share pools. */
double pools_claimed(const struct draft *d, const double pool[POOLS],
    enum gain_view v);

#endif
