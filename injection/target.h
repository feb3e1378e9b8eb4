/*
 * target.h: the contexts whose launches are measured: each with its range
 * profiler, which measures one group of counters at a time. But for the refusals
 * and target_put_away all of it is guarded by the window (window.h).
 */
#ifndef CADV_TARGET_H
#define CADV_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler.h"

struct target {
	struct profiler p;
	uint32_t device;
	bool failed;
	size_t active;			/* group of counters */
	unsigned switches;
	uint32_t misses;		/* launches in a row that lacked nothing
					 * of the active group, but of others */
	size_t passed;			/* launches in a row that had the pass
					 * that is next */
	bool paused;			/* its profiler is off for a while */
};

/*
 * Of what follows all that turns a profiler on or off (of, turn, rest, pause,
 * gone) may wait inside CUPTI for what runs on the GPU, and what runs may wait
 * for the call of the program that we are in: the GPU is idle then.
 */

/* target_possible(context, t): can it be measured? *${t} is its target, NULL if
 * there is none yet. */
bool target_possible(CUcontext context, struct target **t);

/*
 * target_of(context, device): the current context's, made on first use, with the
 * first group enabled. Returns NULL where it cannot be measured, which has been
 * reported; one that failed later says so itself. The first call of the process
 * takes a tenth of a second and more.
 */
struct target *target_of(CUcontext context, uint32_t device);

/* target_prepared(): has target_of been called? */
bool target_prepared(void);

/* target_turn(t, group): measure this group from here on, in place of the active
 * one if there is one, which takes 150 ms. 0; -1 refused, and reported. */
int target_turn(struct target *t, size_t group);

/* target_used(t, now): a window was open, or it was enabled, at ${now}; 0: its
 * profiler is off. */
void target_used(struct target *t, uint64_t now);

/*
 * targets_idle(now): look whether a profiler has lain idle: while one is enabled
 * on a context every launch costs more, measured or not. Any thread.
 * target_put_away(): one has. target_rest(t, begin): if it is ${t}'s (NULL: none
 * that is known) it is disabled, at a cost that began at ${begin}; target_stay(t):
 * it cannot be now, look again later.
 */
void targets_idle(uint64_t now);
bool target_put_away(void);
void target_rest(struct target *t, uint64_t begin);
void target_stay(struct target *t);

/* targets_pause(): turn all profilers off, for something that does not go beside
 * them; the next launch that wants one has it back. False if one stays on. */
bool targets_pause(void);

/* target_gone(context): before it is destroyed. */
void target_gone(CUcontext context);

/* target_refuse(where, r): CUPTI refused counters at ${where}: none from here on
 * in this process, reported. */
void target_refuse(const char *where, int r);

/* target_refuse_instructions(where, r, why): the same of counting instruction by
 * instruction; ${why} if it was not CUPTI's error ${r}, else NULL. */
void target_refuse_instructions(const char *where, int r, const char *why);

/* target_refuse_concurrent(): nothing can be measured by itself, reported. */
void target_refuse_concurrent(void);

/* target_forgo(): nothing is to be measured in windows. Before the first launch. */
void target_forgo(void);

/* target_counts_instructions(): could instructions be counted? One load. */
bool target_counts_instructions(void);

#endif
