/*
 * rules/gain/gain.h: the gain of a change to a kernel. Pure: no state, no memory.
 *
 * A struct fix states what a change does to the work of a launch (load.h) or to what
 * is in flight; the model is evaluated again with it. Only ratios to the measured
 * time are used, so that the model of the unchanged kernel gives its measured time,
 * and a fix of something that does not limit the kernel gains almost nothing.
 */
#ifndef CADV_GAIN_H
#define CADV_GAIN_H

#include "rules/gain/load.h"

/* The effect of a change: new / old; 1: no change. */
struct fix {
	double global_ld, global_st;	/* sectors, ≤ 1 */
	double shared_ld, shared_st;	/* wavefronts, ≤ 1 */
	double local;			/* local memory traffic, ≤ 1 */
	double inst;			/* warp instructions, ≤ 1 */
	double occupancy;		/* resident warps, ≥ 1 */
	double spread;			/* speed-up of each SM's work by a better
					 * distribution of the blocks, ≥ 1 */
	double flight;			/* accesses in flight per warp, ≥ 1 */
	double stall;			/* time that warps wait for each other
					 * or for results, ≤ 1 */
	double part[RES_COUNT];		/* work of one resource, in addition to
					 * the effect of the fields above, ≤ 1 */
	double whole;			/* share of the launch's time that is
					 * left, fixed cost included, if the rest
					 * becomes part of another kernel, ≤ 1 */
	double grid;			/* threads of the grid, and its blocks in
					 * the same proportion */
	double blocks;			/* blocks of the grid, with as many
					 * threads in all as before */
	double line;			/* atomics that one place gets one after
					 * the other, ≤ 1 */
	double slow;			/* instructions that take their pipe for
					 * several cycles, and so keep others from
					 * being issued, ≤ 1 */
	double read;			/* bytes read from DRAM, at least, if fewer
					 * sectors are loaded: of rows that lie anywhere
					 * as now, of which caches keep no more; 0:
					 * neighbours come together, and caches may */
};

#define FIX_NONE { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,			\
	{ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 1, 1, 1, 1, 1, 0 }

enum gain_view { VIEW_LOW, VIEW_MID, VIEW_HIGH, VIEWS };

/* Seconds, or another quantity, with its interval: low ≤ mid ≤ high. */
struct gain {
	double low, mid, high;
};

/* fix_merge(into, f): apply both changes. If they change the same thing, the
 * stronger one counts: both are assumed to be the same change. */
void fix_merge(struct fix *into, const struct fix *f);

/* fix_part(f, share): a change that reaches ${share} (0..1) of ${f}. */
struct fix fix_part(const struct fix *f, double share);

/* fix_power(f, share): a change whose every factor reaches ${share} (0..1) of that
 * of ${f}, as logarithms: 0.5 of 100 times faster is 10 times, where fix_part, which
 * leaves half of the time, has 2. */
struct fix fix_power(const struct fix *f, double share);

/* gain_time(l, f, v): seconds of a launch after ${f}, at most the time before;
 * ${v}: how favourably the unknowns are taken. */
double gain_time(const struct load *l, const struct fix *f, enum gain_view v);

/* gain_share(l, f, v): the share that ${f} saves of the time of all the
 * kernel's launches, 0..1, judged by the measured one. */
double gain_share(const struct load *l, const struct fix *f, enum gain_view v);

/*
 * gain_of(l, k, fix): seconds of the run that the fixes ${fix}[low, mid, high]
 * save over all launches of ${k}: the relative gain of the measured launch
 * times the kernel's exposed time; in the low view only of launches about as
 * long, and only of the time that lengthened this run. The interval is as wide
 * as the errors of such predictions. Never negative, at most the exposed time.
 */
struct gain gain_of(const struct load *l, const struct kernel *k,
    const struct fix fix[VIEWS]);

/* gain_doubt(grounds): the factor by which the achieved speed-up of a change
 * that does what it should may exceed the predicted one, with this much known. */
double gain_doubt(enum grounds grounds);

/* gain_exposed_s(k): seconds by which ${k} lengthens the run. */
double gain_exposed_s(const struct kernel *k);

#endif
