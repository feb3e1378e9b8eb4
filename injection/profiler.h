/*
 * profiler.h: CUPTI's range profiler on one context: enables it, opens and closes a
 * window. Mechanism only: counters.c decides when. Every call needs the window
 * (window.h).
 *
 * A window collects the next pass of the configuration, round robin, in a user range
 * with a fixed name. So passes add up over launches, the launch returns at once
 * whatever its kernel waits for, and any thread may end the window. The range includes
 * the launch; counters.c corrects metrics of elapsed time for that.
 *
 * Measured on an H200: the first Start after an Enable takes 140 to 235 ms (640 ms once
 * per boot), a Disable 11 ms; a window 44 ms in the pass that counts DRAM, L2 and L1
 * sectors, 3 ms in the others. In 180 recordings on two more H200s, with several
 * programs at a time: opening the first window of that pass took 14 to 45 ms, in one of
 * twenty 56 to 113 ms; closing it 3 ms, in one of ten 6 to 65 ms. All of these wait for
 * the GPU to become idle, and meanwhile CUPTI blocks the launches of all threads.
 */
#ifndef CADV_PROFILER_H
#define CADV_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"
#include "metrics.h"

/* The range profiler of one context. */
struct profiler {
	CUcontext context;
	CUpti_RangeProfiler_Object *object;	/* NULL: not enabled */
	const struct metrics *metrics;
	const struct metrics_config *config;	/* the present one */
	uint8_t *pristine;		/* a counter-data image as initialised */
	uint8_t *image;			/* the counter-data image in use */
	size_t size;
	size_t pass;			/* the pass that is collected next, numbered
					 * as in metrics.h, like all passes here */
	/* Estimates per pass: cost of a window without its kernel, and of closing
	 * it. */
	uint64_t cost_ns[METRICS_PASSES], close_ns[METRICS_PASSES];
	uint64_t begun_ns;		/* time that opening the current window took */
};

/* profiler_enable(p, m, config, where): set up ${p}->context for configuration
 * ${config}, which stays until it is disabled (CUPTI decodes nothing of a second one).
 * Then collect each pass once with nothing launched, which pays the one-time costs and
 * measures cost_ns. Returns CUPTI's error code, with the call that failed in
 * *${where}. */
int profiler_enable(struct profiler *p, const struct metrics *m,
    size_t config, const char **where);

/* profiler_disable(p, where): undo profiler_enable. Does nothing if it is not
 * enabled. */
int profiler_disable(struct profiler *p, const char **where);

/* profiler_start(p, where): open a window around the launches that follow, which
 * collects into ${p}->image. profiler_stop(p, dropped, where): close and decode it;
 * *${dropped}: the image did not get the range. Both return as profiler_enable. */
int profiler_start(struct profiler *p, const char **where);
int profiler_stop(struct profiler *p, bool *dropped, const char **where);

/* profiler_turn(p, pass, where): collect empty ranges until ${pass} is next.
 * profiler_turn_ns(p, pass): the time that this takes. */
int profiler_turn(struct profiler *p, size_t pass, const char **where);
uint64_t profiler_turn_ns(const struct profiler *p, size_t pass);

/* profiler_after(p, pass): the pass after ${pass} in the configuration, round robin. */
size_t profiler_after(const struct profiler *p, size_t pass);

/* profiler_free(p): free the images; the profiler must be disabled. */
void profiler_free(struct profiler *p);

#endif
