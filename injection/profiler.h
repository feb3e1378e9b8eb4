/*
 * profiler.h: CUPTI's range profiler on one context: enable it, open and close a
 * measuring window. Mechanism only; counters.c decides when. All calls with the
 * window of counters.c held.
 *
 * A window collects the next pass of the configuration, round and round, in a
 * range with a name: so passes add up over launches, the launch comes back at once
 * whatever its kernel waits for, and the end may come from any thread. The range
 * includes the launch: counters.c takes that out of what counts elapsed time.
 *
 * Measured on an H200: the first Start after an Enable 140 to 235 ms (640 ms once
 * per boot), a Disable 11 ms; a window 44 ms in the pass that counts in DRAM, L2 and
 * L1 sectors, 3 ms in the others. All of these wait for the GPU to fall idle, and
 * while they do, CUPTI lets no thread launch.
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
	const struct metrics_config *config;	/* of them, the one it has */
	uint8_t *pristine;		/* an initialised counter-data image */
	uint8_t *image;			/* the one in use */
	size_t size;
	size_t pass;			/* that is collected next; a number as
					 * in metrics.h, like all here */
	/* Of a window but for its kernel: about, and the shortest so far. */
	uint64_t cost_ns[METRICS_PASSES], least_ns[METRICS_PASSES];
	uint32_t guessed;		/* bits of those that none tells of */
	uint64_t begun_ns;		/* what the beginning of the open one took */
};

/* profiler_enable(p, m, config, where): set ${p}->context up for that configuration
 * of the counters, which it has until it is disabled (of a second one CUPTI decodes
 * nothing), and go once round the passes with nothing launched, which takes the
 * costs that come once and leaves those of each pass in cost_ns. CUPTI's code, with
 * the call that failed in *${where}. */
int profiler_enable(struct profiler *p, const struct metrics *m,
    size_t config, const char **where);

/* profiler_disable(p, where): the opposite. Nothing if it is not enabled. */
int profiler_disable(struct profiler *p, const char **where);

/* profiler_start(p, where): open a window around the launches that follow,
 * into ${p}->image. profiler_stop ends it and decodes; *${dropped} tells that
 * the range did not get into the image. */
int profiler_start(struct profiler *p, const char **where);
int profiler_stop(struct profiler *p, bool *dropped, const char **where);

/* profiler_turn(p, pass, where): collect nothing until ${pass} comes next, which
 * takes profiler_turn_ns(p, pass). */
int profiler_turn(struct profiler *p, size_t pass, const char **where);
uint64_t profiler_turn_ns(const struct profiler *p, size_t pass);

/* profiler_after(p, pass): the pass of its configuration that comes after it. */
size_t profiler_after(const struct profiler *p, size_t pass);

/* profiler_free(p): its memory; the profiler has to be disabled. */
void profiler_free(struct profiler *p);

#endif
