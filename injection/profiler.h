/*
 * profiler.h: CUPTI's range profiler on one context: enable it for one group of
 * counters, open and close a measuring window. Mechanism only; counters.c
 * decides when. All calls with the window of counters.c held.
 *
 * Measured on an H200: the first Start of a process 175 ms (640 ms once per
 * boot), of every later Enable 140 ms; a window 1 to 45 ms by what is counted.
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
	const struct metrics *metrics;	/* of the active group */
	uint8_t *pristine;		/* an initialised counter-data image */
	uint8_t *image;			/* the one in use */
	size_t size;
	size_t position;		/* the pass that is collected next */
};

/* profiler_enable(p, m, where): set ${p}->context up for the counters of ${m}.
 * CUPTI's code, with the call that failed in *${where}. */
int profiler_enable(struct profiler *p, const struct metrics *m,
    const char **where);

/* profiler_disable(p, where): the opposite; for another group too, because the
 * first configuration of an object sticks. Nothing if it is not enabled. */
int profiler_disable(struct profiler *p, const char **where);

/* profiler_start(p, where): open a window around the launches that follow,
 * into ${p}->image. profiler_stop ends it and decodes; *${dropped} tells that
 * the range did not get into the image. */
int profiler_start(struct profiler *p, const char **where);
int profiler_stop(struct profiler *p, bool *dropped, const char **where);

/* profiler_free(p): its memory; the profiler has to be disabled. */
void profiler_free(struct profiler *p);

#endif
