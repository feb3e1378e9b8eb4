/*
 * sampling.h: continuous PC sampling of one context per device: at which instructions
 * warps are, and their stall reasons. Works together with kernel tracing and SASS
 * windows, but not with the range profiler.
 *
 * Measured on an H200: 12 ms to turn it on, 50 ms to turn it off, no slow-down in
 * between for kernels of 7 us; the hardware buffer takes device memory.
 */
#ifndef CADV_SAMPLING_H
#define CADV_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

#define SAMPLING_LATER (-1)

/* sampling_on(context, device, where): turn sampling on. In a callback of the context's
 * own thread, with the GPU lock held. Returns CUPTI's error code, with the call that
 * failed in *${where}; SAMPLING_LATER: try again. */
int sampling_on(CUcontext context, uint32_t device, const char **where);

/* sampling_off(context): turn sampling off, and send the remaining samples. Any thread.
 * True, also if this context is not sampled; false: try again. */
bool sampling_off(CUcontext context);

/* sampling_active(): whether a context is being sampled. */
bool sampling_active(void);

/* sampling_enough(): whether sampling should be turned off, because there are as many
 * samples as a report can use, 10 s have passed, or samples were lost. */
bool sampling_enough(void);

/* sampling_drain(): fetch and send the samples so far. Sender thread only. */
void sampling_drain(void);

/* sampling_finish(): the program ends: send the last samples. Sender thread
 * only. */
void sampling_finish(void);

#endif
