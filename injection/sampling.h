/*
 * sampling.h: continuous PC sampling of one context per device: which
 * instructions warps are at, and their stall reasons. Works beside kernel
 * tracing and SASS windows, but not beside the range profiler.
 *
 * Measured on an H200: on 12 ms, off 50 ms, no slow-down in between for kernels
 * of 7 us; the hardware buffer takes device memory.
 */
#ifndef CADV_SAMPLING_H
#define CADV_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

#define SAMPLING_LATER (-1)

/* sampling_on(context, device, where): turn it on. In a callback of the
 * context's own thread, with the GPU lock held. CUPTI's error code, or
 * SAMPLING_LATER: try again. */
int sampling_on(CUcontext context, uint32_t device, const char **where);

/* sampling_off(context): turn it off, and send the remaining samples. Any
 * thread. No-op, true, if this context is not sampled. False if it has to be
 * tried again. */
bool sampling_off(CUcontext context);

/* sampling_active(): is a context being sampled? */
bool sampling_active(void);

/* sampling_enough(): should it be turned off: because there are as many samples
 * as a report can use, after 10 s, or because samples were lost? */
bool sampling_enough(void);

/* sampling_drain(): fetch and send the samples so far. Sender thread only. */
void sampling_drain(void);

/* sampling_finish(): the program ends: send the last samples. Sender thread
 * only. */
void sampling_finish(void);

#endif
