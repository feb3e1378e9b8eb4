/*
 * target.h: the contexts whose launches are measured, each with its range profiler.
 * A context is known by CUPTI's number for it: an address comes again. But for the
 * refusals, target_known and target_put_away all of it is guarded by the window
 * (window.h).
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
	uint32_t misses;		/* launches that lack something since its
					 * profiler was put away */
	size_t passed;			/* launches in a row that had the pass
					 * that is next */
	bool paused;			/* its profiler is off for a while */
	uint32_t seen;			/* kernels, at the last look, */
	uint32_t quiet;			/* launches since there was a new one or
					 * the headline of one was counted, */
	uint64_t newest_ns;		/* which was then */
	unsigned enables, turns;
};

/* target_prepare(device): what the process needs before its first context: CUPTI's
 * profiler, the list of counters. 0; -1: there will be none, which was reported.
 * Takes a tenth of a second the first time; any thread that holds the window. */
int target_prepare(uint32_t device);

/* target_prepared(): has it been called, and is it over? Any thread. */
bool target_prepared(void);

/* target_find(context): that of the context with this number, or NULL. */
struct target *target_find(uint32_t context);

/* target_known(context): is there one? Any thread; what it says may be over. */
bool target_known(uint32_t context);

/*
 * Of what follows all that turns a profiler on or off (enable, rest, pause, gone)
 * waits inside CUPTI for what runs on the GPU, and what runs may wait for a call of
 * the program: the GPU is idle then, and the gate closed.
 */

/* target_make(handle, context, device): a context's, with its profiler still off.
 * NULL: no room, or another chip than the process's first. */
struct target *target_make(CUcontext handle, uint32_t context,
    uint32_t device);

/* target_enable(t, config): turn its profiler on for that configuration of the
 * counters, which takes a fifth of a second; one that is on for another goes off
 * first, and so does that of another context of the device, of which CUPTI wants one
 * at a time. 0; -1 refused, and reported: instructions may still be counted.
 * target_in_the_way(t): that context, which has to be idle, too; NULL: none. */
int target_enable(struct target *t, size_t config);
CUcontext target_in_the_way(const struct target *t);

/* target_used(t, now): a window was open, or it was enabled, at ${now}; 0: its
 * profiler is off. */
void target_used(struct target *t, uint64_t now);

/*
 * targets_idle(now): look whether a profiler has lain idle: another process that
 * wants the GPU's counters waits for it. Any thread.
 * target_put_away(): one has. target_rest(t, begin): if it is ${t}'s (NULL: none
 * that is known) it is disabled, at a cost that began at ${begin}; target_stay(t):
 * it cannot be now, look again later.
 */
void targets_idle(uint64_t now);
bool target_put_away(void);
void target_rest(struct target *t, uint64_t begin);
uint64_t target_rest_ns(void);		/* what that takes */
void target_stay(struct target *t);

/* targets_pause(): turn all profilers off, for something that does not go beside
 * them; the next launch that wants one has it back. False if one stays on. */
bool targets_pause(void);

/* target_gone(context): the context with this number is about to be destroyed.
 * target_abandon(context): it is, and its profiler could not be turned off: nothing
 * of it is used any more. Any thread, without the window. */
void target_gone(uint32_t context);
void target_abandon(uint32_t context);

/* target_metrics(): the list of counters and its configurations, one chip a process;
 * empty until target_prepare. */
struct metrics *target_metrics(void);

/* target_refusal(): why no counters can be had in this process, an enum wire_skip;
 * SKIP_NONE: they can. One load; any thread. */
uint32_t target_refusal(void);

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
