/*
 * counters.h: measures launches: hardware counters, counts by instruction, PC
 * samples. Nothing is replayed unless --replay is given, and no launch is run
 * again (again.h) unless CUDADVISE_REPEAT is 1.
 *
 * A launch is measured in a "window": wait for an idle GPU, start the profiler,
 * launch, stop, decode. It collects one pass of the counters; the passes of a
 * kernel come from as many of its launches. Kernel tracing is off inside a
 * window, because its instrumentation would be counted (8 instructions a warp)
 * and patched instructions would count nothing; the window records its launch
 * itself.
 *
 * The program is held for --max-stall at a time at most: what is known to take
 * longer is not started, and where the kernel does not end in time the window
 * is deferred: the program goes on, and the window is closed when the kernel
 * has ended. It counts if no other launch came in between: the next one is held
 * once for the kernel, for as long as any hold.
 *
 * At level source the first launches are sampled (episode.h); then one launch
 * of every signature has its instructions counted, too (sass.h).
 *
 * Never two windows at once, never inside a stream capture, never around NCCL
 * or cooperative kernels, never a wait without a bound.
 */
#ifndef CADV_COUNTERS_H
#define CADV_COUNTERS_H

#include <stdbool.h>

#include "cupti_api.h"

struct signature;

/* counters_wanted(s, asked): could counters_enter do anything for this launch
 * of ${s}? ${asked}: --launches allows measuring it; for other launches only a
 * profiler or sampling that is on can be turned off. The fast path: a few
 * loads. */
bool counters_wanted(const struct signature *s, bool asked);

/* A launch in its callback. */
struct counters_launch {
	const CUpti_CallbackData *data;
	CUstream stream;
	const void *function;		/* CUfunction or CUkernel */
	bool asked;			/* as for counters_wanted */
};

/*
 * counters_enter(s, l): in the launch's API-enter callback. Opens a window if
 * it can. True if counters_exit has to be called for this launch.
 */
bool counters_enter(struct signature *s, const struct counters_launch *l);

/* counters_graph(device, l): the same for a graph launch, which can only be
 * sampled: the signature to call counters_exit with, or NULL. */
struct signature *counters_graph(uint32_t device,
    const struct counters_launch *l);

/* counters_exit(s, launched): in the API-exit callback of the same launch;
 * ${launched}: the call succeeded. */
void counters_exit(struct signature *s, bool launched);

/* counters_settle(at_once): close the deferred window if its kernel has ended.
 * Cheap if there is none, and if it was tried less than 2 ms ago, unless
 * ${at_once}. Called after a call that waited for the GPU, and periodically; any
 * thread.
 * counters_await(): the same before a launch, which would pollute the window: the
 * first one waits for the kernel. */
void counters_settle(bool at_once);
void counters_await(void);

/* counters_context_gone(handle, context): the context with this number is about
 * to be destroyed; in the resource callback. */
void counters_context_gone(CUcontext handle, uint32_t context);

/* counters_close(): the program ends: no window opens from here on; waits up to
 * 2 s for the open one. Any thread. */
void counters_close(void);

#endif
