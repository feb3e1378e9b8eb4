/*
 * rules/gain/gain.h: what a change to a kernel gains. Pure: no state, no memory.
 *
 * A struct fix says what a change does to the work of a launch (load.h) or to what
 * is in flight; the model is evaluated again with it. Only ratios to the measured time are
 * used, so that the model of the unchanged kernel is its measured time, and a
 * fix of what does not limit the kernel gains next to nothing.
 */
#ifndef CADV_GAIN_H
#define CADV_GAIN_H

#include "rules/gain/load.h"

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
	double grid;			/* threads of the grid, and so its blocks */
	double blocks;			/* blocks of as many threads */
};

#define FIX_NONE { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,			\
	{ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 1, 1, 1 }

enum view { VIEW_LOW, VIEW_MID, VIEW_HIGH, VIEWS };

/* Seconds, or another quantity, with its interval: low ≤ mid ≤ high. */
struct gain {
	double low, mid, high;
};

/* fix_merge(into, f): both changes at once. The stronger of two changes to one
 * thing counts; they are taken to be the same. */
void fix_merge(struct fix *into, const struct fix *f);

/* fix_part(f, share): a change that reaches ${share} (0..1) of ${f}. */
struct fix fix_part(const struct fix *f, double share);

/* gain_time(l, f, v): seconds of a launch after ${f}, never more than before;
 * ${v} is how much of what cannot be known is taken in favour of the change. */
double gain_time(const struct load *l, const struct fix *f, enum view v);

/* gain_share(l, f, v): the share of the time of all the kernel's launches that ${f}
 * takes, 0..1, as far as the one that was measured tells. */
double gain_share(const struct load *l, const struct fix *f, enum view v);

/*
 * gain_of(l, k, fix): seconds of the run that the fixes ${fix}[low, mid, high]
 * of ${k} save over all its launches: the relative gain of the launch that was
 * measured times the kernel's exposed time; in the low view, of launches about as
 * long. The interval is as wide as such predictions were wrong. Never negative, never
 * more than the exposed time.
 */
struct gain gain_of(const struct load *l, const struct kernel *k,
    const struct fix fix[VIEWS]);

/* gain_doubt(grounds): how many times the predicted speed-up a change may bring that
 * does what it should: where so much is known. */
double gain_doubt(enum grounds grounds);

/* gain_exposed_s(k): seconds by which ${k} lengthens the run. */
double gain_exposed_s(const struct kernel *k);

#endif
