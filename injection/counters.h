/*
 * counters.h: hardware counters of selected launches, without replaying them.
 *
 * The range profiler has one multi-pass configuration a context. Each launch
 * that is measured (a "window": synchronise, start, launch, stop, decode) takes
 * the pass at which the profiler stands and adds it to the counter data of its
 * signature; when a signature has every pass its values are complete. Measured
 * on an H200: 2 to 3 ms a window, nothing outside windows.
 *
 * Never two windows at once, never inside a stream capture, never around NCCL
 * or cooperative kernels, never a wait without a bound.
 */
#ifndef CADV_COUNTERS_H
#define CADV_COUNTERS_H

#include <stdbool.h>

#include "cupti_api.h"

struct signature;

/* counters_wanted(s): could this launch be measured? Cheap: the fast path. */
bool counters_wanted(const struct signature *s);

/*
 * counters_enter(s, context, stream): in the launch's API-enter callback. Opens
 * a window if it can. Returns true if counters_exit is owed for this launch.
 */
bool counters_enter(struct signature *s, CUcontext context, CUstream stream);

/* counters_exit(s, launched): in the API-exit callback of the same launch;
 * ${launched} tells whether the call succeeded. */
void counters_exit(struct signature *s, bool launched);

/* counters_other_launch(): a launch that is not ours runs; a window that is
 * open now does not count. */
void counters_other_launch(void);

/* counters_capture(stream, on): a stream capture begins or ends. */
void counters_capture(CUstream stream, bool on);

/* counters_stream_gone(stream), counters_context_gone(context): from the
 * resource callbacks, before they are destroyed. */
void counters_stream_gone(CUstream stream);
void counters_context_gone(CUcontext context);

/* counters_send(final): emit the values that are new; with ${final} also what
 * stayed incomplete and why. Sender thread only. */
void counters_send(bool final);

#endif
