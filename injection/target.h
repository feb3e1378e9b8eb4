/*
 * target.h: the contexts whose launches are measured, each with its range
 * profiler; and the list of counters. A context is identified by CUPTI's
 * number: addresses are reused. Guarded by the window (window.h), except the
 * refusals, target_known and target_put_away.
 */
#ifndef CADV_TARGET_H
#define CADV_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler.h"

struct target {
	struct profiler p;
	uint32_t context;		/* its number; 0: free */
	uint32_t device;
	bool failed;
	uint32_t misses;		/* launches with something to measure
					 * since its profiler was disabled */
	size_t passed;			/* launches in a row that had the next
					 * pass already */
	bool paused;			/* its profiler is off during PC
					 * sampling */
	uint32_t seen;			/* number of signatures at the last
					 * launch, */
	uint32_t quiet;			/* launches since the last new signature
					 * or headline, */
	uint64_t newest_ns;		/* and its time */
	unsigned enables, turns;
};

/* target_prepare(device): initialise CUPTI's profiler and load the list of
 * counters, once per process. 0; -1: no counters, the reason is reported. A
 * tenth of a second the first time; any thread that holds the window. */
int target_prepare(uint32_t device);

/* target_prepared(): has target_prepare returned? Any thread. */
bool target_prepared(void);

/* target_find(context): the target of the context with this number, or NULL. */
struct target *target_find(uint32_t context);

/* target_known(context): has it a target? Any thread; may be outdated. */
bool target_known(uint32_t context);

/*
 * What turns a profiler on or off below (enable, rest, pause, gone) waits
 * inside CUPTI for running kernels, which may wait for a call of the program:
 * first make sure that the GPU is idle and the gate closed.
 */

/* target_make(handle, context, device): the context's target, created if new,
 * with the profiler off. NULL: no room. A device of another chip than the
 * process's first has failed set. */
struct target *target_make(CUcontext handle, uint32_t context,
    uint32_t device);

/* target_enable(t, config): enable its profiler for that configuration of the
 * counters, a fifth of a second; a profiler that is enabled for another one is
 * disabled first, and so is that of another context of the device: CUPTI
 * supports one at a time. 0; -1 refused and reported: counting by instruction
 * may still work. target_in_the_way(t): that other context, which has to be
 * idle, too; NULL: none. */
int target_enable(struct target *t, size_t config);
CUcontext target_in_the_way(const struct target *t);

/* target_used(t, now): it had a window, or was enabled, at ${now}; 0: its
 * profiler is off. */
void target_used(struct target *t, uint64_t now);

/*
 * targets_idle(now, done): check whether a profiler has been idle for too long:
 * another process may be waiting for the GPU's counters. ${done}: no kernel lacks
 * anything (plan_done). Any thread.
 * target_put_away(): one has. target_rest(t, begin): disable it if it is ${t}'s
 * (NULL: no target), in a hold that began at ${begin}. target_stay(t): it
 * cannot be disabled now; check again later.
 */
void targets_idle(uint64_t now, bool done);
bool target_put_away(void);
void target_rest(struct target *t, uint64_t begin);
uint64_t target_rest_ns(void);		/* the time of target_rest */
void target_stay(struct target *t);

/* targets_pause(): disable all profilers, for PC sampling; the next launch that
 * needs one enables it again. False if one stays on. */
bool targets_pause(void);

/* target_gone(context): the context with this number is about to be destroyed.
 * target_abandon(context): likewise, but without the window: its profiler
 * cannot be disabled and nothing of it is used any more. Any thread. */
void target_gone(uint32_t context);
void target_abandon(uint32_t context);

/* target_metrics(): the list of counters and its configurations, one chip a process;
 * empty until target_prepare. */
struct metrics *target_metrics(void);

/* target_refusal(): why no counters can be had in this process, an enum wire_skip;
 * SKIP_NONE: they can. One load; any thread. */
uint32_t target_refusal(void);

/* target_refuse(where, r): CUPTI refused counters in the call ${where}: no
 * counters in this process from here on; reported. */
void target_refuse(const char *where, int r);

/* target_refuse_instructions(where, r, why): the same for counting by
 * instruction; ${why} if the reason is not CUPTI's error ${r}, else NULL. */
void target_refuse_instructions(const char *where, int r, const char *why);

/* target_refuse_concurrent(): nothing can be measured by itself, reported. */
void target_refuse_concurrent(void);

/* target_forgo(): nothing is measured in windows. Before the first launch. */
void target_forgo(void);

/* target_counts_instructions(): can instructions be counted? One load. */
bool target_counts_instructions(void);

#endif
