/*
 * sampling.h: continuous PC sampling of one context a device: which instructions
 * warps are at, and why they wait. It goes beside kernel tracing and SASS
 * windows but not beside the range profiler.
 *
 * Measured on an H200: on 12 ms, off 50 ms, nothing in between for kernels of
 * 7 us; the hardware buffer takes device memory.
 */
#ifndef CADV_SAMPLING_H
#define CADV_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

#define SAMPLING_LATER (-1)

/* sampling_on(context, device, where): begin. In a callback of the context's
 * own thread, with the GPU claimed. CUPTI's code, or SAMPLING_LATER: try again. */
int sampling_on(CUcontext context, uint32_t device, const char **where);

/* sampling_off(context): end, and send what was still on its way. Any thread.
 * Nothing to do if this context is not sampled. False if it has to be tried
 * again. */
bool sampling_off(CUcontext context);

/* sampling_active(): some context is sampled. */
bool sampling_active(void);

/* sampling_enough(): there are as many samples as a report can use, or it has
 * lasted long enough, or some went missing: turn it off. */
bool sampling_enough(void);

/* sampling_drain(): fetch and send what has come in. Sender thread only. */
void sampling_drain(void);

/* sampling_finish(): the program ends: the last samples. Sender thread only. */
void sampling_finish(void);

#endif
