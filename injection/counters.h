/*
 * counters.h: measures launches: hardware counters, counts by instruction, PC samples.
 * Kernels are replayed only with --replay.
 *
 * A launch is measured in a "window": wait for an idle GPU, start the profiler, launch,
 * stop, decode. A window collects one pass of the counters; the passes of a kernel come
 * from as many of its launches. Kernel tracing is off in a window: its instrumentation
 * would be counted (8 instructions a warp), and patched instructions would count
 * nothing. The window records its launch itself.
 *
 * The program is held for --max-stall at a time at most. What is known to take longer
 * is not started. If the kernel does not end in time the window is deferred: the
 * program goes on, and the window is closed when the kernel has ended. The window
 * counts if no other launch came in between; to that end the next launch is held once
 * for the kernel, for as long as any hold.
 *
 * At level source the first launches are sampled (episode.h). Then, as at level auto,
 * one launch of every signature has its instructions counted, too (sass.h).
 *
 * There are never two windows at once, no window inside a stream capture or around NCCL
 * or cooperative kernels, and no wait without a bound.
 */
#ifndef CADV_COUNTERS_H
#define CADV_COUNTERS_H

#include <stdbool.h>

#include "cupti_api.h"

struct signature;

/* counters_wanted(s, asked): whether counters_enter might do anything for this launch
 * of ${s}. ${asked}: --launches allows measuring this launch; at other launches a
 * profiler, or sampling, can only be turned off. On the fast path: a few loads. */
bool counters_wanted(const struct signature *s, bool asked);

/* A launch in its API-enter callback. */
struct counters_launch {
	const CUpti_CallbackData *data;
	CUstream stream;
	const void *function;		/* CUfunction or CUkernel */
	bool asked;			/* as for counters_wanted */
};

/*
 * counters_enter(s, l): in the API-enter callback of a launch. Opens a window if it
 * can. True if counters_exit has to be called for this launch.
 */
bool counters_enter(struct signature *s, const struct counters_launch *l);

/* counters_graph(device, l): the same for a graph launch, which can be sampled only.
 * Returns the signature for counters_exit, or NULL. */
struct signature *counters_graph(uint32_t device,
    const struct counters_launch *l);

/* counters_exit(s, launched): in the API-exit callback of the same launch; ${launched}:
 * the call succeeded. */
void counters_exit(struct signature *s, bool launched);

/* counters_settle(at_once): close the deferred window if its kernel has ended. Cheap if
 * there is none, or if less than 2 ms have passed since the last try; ${at_once} tries
 * in any case. Called after a call that waited for the GPU, and periodically; any
 * thread. counters_await(): the same before a launch that would pollute the window; the
 * first such launch waits for the kernel. */
void counters_settle(bool at_once);
void counters_await(void);

/* counters_context_gone(handle, context): context ${handle}, whose number is
 * ${context}, is about to be destroyed. In the resource callback. */
void counters_context_gone(CUcontext handle, uint32_t context);

/* counters_close(): the program ends: open no further window, and wait up to 2 s for
 * the open one. Any thread. */
void counters_close(void);

#endif
