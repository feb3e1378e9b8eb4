/*
 * target.h: the contexts whose launches are measured, each with its range profiler, and
 * the list of counters. A context is identified by CUPTI's number, because addresses
 * are reused. Guarded by the window (window.h), except the refusals, target_known and
 * target_put_away.
 */
#ifndef CADV_TARGET_H
#define CADV_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler.h"

struct target {
	struct profiler p;
	uint32_t context;		/* CUPTI's number of the context; 0: free */
	uint32_t device;
	bool failed;
	_Atomic bool patched;		/* kernels were counted by instruction in it */
	uint32_t misses;		/* launches with something to measure since
					 * its profiler was disabled */
	size_t passed;			/* launches in a row whose signature had the
					 * next pass already */
	bool paused;			/* its profiler is off because of PC sampling */
	uint32_t seen;			/* number of signatures at the last launch */
	uint32_t quiet;		/* launches since the last new signature or headline */
	uint64_t newest_ns;		/* time of that */
	unsigned enables, turns;
	unsigned stays;		/* how often its idle profiler could not be disabled */
};

/* target_prepare(device): initialise CUPTI's profiler and load the list of counters,
 * once per process. 0; -1: there are no counters, and the reason is reported. Takes a
 * tenth of a second the first time. Any thread that holds the window. */
int target_prepare(uint32_t device);

/* target_prepared(): whether target_prepare has returned. Any thread. */
bool target_prepared(void);

/* target_find(context): the target of the context with this number, or NULL. */
struct target *target_find(uint32_t context);

/* target_known(context): whether the context has a target. Any thread; the answer may
 * be outdated. */
bool target_known(uint32_t context);

/*
 * The functions below that turn a profiler on or off (enable, rest, pause, gone) wait
 * inside CUPTI for running kernels, which may wait for a call of the program. So before
 * that the GPU must be idle and the gate closed.
 */

/* target_make(handle, context, device): the context's target; a new one has its
 * profiler off. NULL: there is no room. If the device's chip is not the process's first
 * chip, ${failed} is set. */
struct target *target_make(CUcontext handle, uint32_t context,
    uint32_t device);

/* target_enable(t, config): enable its profiler for that configuration of the counters,
 * which takes a fifth of a second. A profiler that is enabled for another
 * configuration, or on another context of the device, is disabled first, because CUPTI
 * supports one at a time. 0; -1: refused and reported, but counting by instruction may
 * still work. target_in_the_way(t): that other context, which has to be idle, too;
 * NULL: none. */
int target_enable(struct target *t, size_t config);
CUcontext target_in_the_way(const struct target *t);

/* target_used(t, now): note that ${t} had a window, or was enabled, at ${now}; 0: its
 * profiler is off. */
void target_used(struct target *t, uint64_t now);

/*
 * targets_idle(now, done): check whether a profiler has been idle for too long: another
 * process may be waiting for the GPU's counters. ${done}: no kernel lacks anything
 * (plan_done). Any thread. target_put_away(): whether a profiler was found idle.
 * target_is_idle(t, begin): whether it is that of ${t} (NULL: no target): only a launch
 * in its own context disables it. target_rest(t, begin): disable it if so, in a hold that
 * began at ${begin}. target_stay(t): it cannot be disabled now; check again later, the
 * later the more often this was called.
 */
void targets_idle(uint64_t now, bool done);
bool target_put_away(void);
bool target_is_idle(const struct target *t, uint64_t begin);
void target_rest(struct target *t, uint64_t begin);
uint64_t target_rest_ns(void);		/* time that target_rest takes */
void target_stay(struct target *t);

/* target_kept(t): whether its profiler stays as it is, on or off, because graphs would
 * break (graphs.h). Any thread. */
bool target_kept(const struct target *t);

/* targets_pause(): disable all profilers, for PC sampling. The next launch that needs
 * one enables it again. False if one could not be disabled, or must not be. */
bool targets_pause(void);

/* target_gone(context): the context with this number is about to be destroyed.
 * target_abandon(context): the same without the window: the profiler cannot be
 * disabled, and nothing of the target is used any more. Any thread. */
void target_gone(uint32_t context);
void target_abandon(uint32_t context);

/* target_metrics(): the list of counters and its configurations, for the one chip of
 * the process; empty until target_prepare. */
struct metrics *target_metrics(void);

/* target_refusal(): why this process gets no counters, an enum wire_skip; SKIP_NONE: it
 * gets them. One load; any thread. */
uint32_t target_refusal(void);

/* target_refuse(where, r): CUPTI refused counters in call ${where} with error ${r}:
 * report it; this process gets no counters from now on. */
void target_refuse(const char *where, int r);

/* target_refuse_instructions(where, r, why): the same for counts by instruction; ${why}
 * is the reason if that is not CUPTI's error ${r}, else NULL. */
void target_refuse_instructions(const char *where, int r, const char *why);

/* target_refuse_concurrent(): nothing can be measured by itself, reported. */
void target_refuse_concurrent(void);

/* target_forgo(): measure nothing in windows. Before the first launch. */
void target_forgo(void);

/* target_counts_instructions(): whether instructions can be counted. One load. */
bool target_counts_instructions(void);

#endif
