/*
 * counters.h: which launch is measured, and how: hardware counters, counts by
 * instruction, PC samples; nothing is replayed unless asked for.
 *
 * A launch that is measured (a "window": wait for an idle GPU, start, launch, stop,
 * decode) collects one pass of the counters; the passes of a kernel come from as
 * many of its launches. Kernel tracing is off inside a window, because its
 * instrumentation would be counted (8 instructions a warp) and patched instructions
 * would count nothing; the window reports its launch itself.
 *
 * The program is held for no longer than --max-stall at a time: what is known to
 * take longer is not begun, and a window whose kernel goes on is left open while the
 * program does, too, and closed when the kernel has ended. If no other launch came
 * in between, it counts.
 *
 * At level source the first launches are sampled (episode.h), and then a launch
 * of every signature has its instructions counted too (sass.h).
 *
 * Never two windows at once, never inside a stream capture, never around NCCL
 * or cooperative kernels, never a wait without a bound.
 */
#ifndef CADV_COUNTERS_H
#define CADV_COUNTERS_H

#include <stdbool.h>

#include "cupti_api.h"

struct signature;

/* counters_wanted(s, asked): could this launch be measured? ${asked}: it is one that
 * may be; at others what is on is ended. Cheap: the fast path. */
bool counters_wanted(const struct signature *s, bool asked);

/* A launch as its callback sees it. */
struct counters_launch {
	const CUpti_CallbackData *data;
	CUstream stream;
	const void *function;		/* CUfunction or CUkernel */
	bool asked;			/* counters_wanted's */
};

/*
 * counters_enter(s, l): in the launch's API-enter callback. Opens a window if
 * it can. Returns true if counters_exit is owed for this launch.
 */
bool counters_enter(struct signature *s, const struct counters_launch *l);

/* counters_graph(device, l): the same of a graph's launch, which can only be
 * sampled: what counters_exit is owed for, or NULL. */
struct signature *counters_graph(uint32_t device,
    const struct counters_launch *l);

/* counters_exit(s, launched): in the API-exit callback of the same launch;
 * ${launched} tells whether the call succeeded. */
void counters_exit(struct signature *s, bool launched);

/* counters_settle(at_once): close the window that was left open, if its kernel has
 * ended. Cheap where there is none, and where it was tried a moment ago, unless
 * ${at_once}. Before a launch, after a call that waited for the GPU, and from time to
 * time; any thread. */
void counters_settle(bool at_once);

/* counters_context_gone(handle, context): the context with this number is about to
 * be destroyed; from the resource callback. */
void counters_context_gone(CUcontext handle, uint32_t context);

/* counters_close(): the program ends: no window from here on; waits, not for
 * long, for the one that is open. Any thread. */
void counters_close(void);

#endif
