/*
 * prepare.h: the set-up of a context for counters. It takes CUPTI a third of a second
 * with the GPU idle and nobody launching, and is done once, before the first launch
 * that is measured, which waits for it; and once more, in half the time, where kernels are
 * launched so often that they get the counters of the second configuration, too.
 */
#ifndef CADV_PREPARE_H
#define CADV_PREPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

struct signature;
struct target;

/* prepare_process(d, device): in the callback of a launch, without the window: what
 * the process needs before anything is measured or sampled, once; a tenth of a
 * second. Cheap where it has been done. */
void prepare_process(const CUpti_CallbackData *d, uint32_t device);

/* What a context is to be set up for. */
struct prepare_wish {
	size_t config;			/* of the counters */
	bool turn;			/* from another one that it has */
};

/*
 * prepare_target(d, s, w, begin): in the callback of a launch of ${s} on a context
 * that is not set up, or no more, or for other counters, with the window held: set
 * it up and wait for that, but not for what else the GPU may do: not longer than the
 * hold that began at ${begin} may last. The context's target, with the window held
 * again; NULL without the window if there is none yet, for a reason that ${s} keeps.
 */
struct target *prepare_target(const CUpti_CallbackData *d,
    struct signature *s, const struct prepare_wish *w, uint64_t begin);

/* prepare_finish(): the program ends: no set-up is begun, and one that goes on has
 * ended, or what it waits for does not end: CUDA must not be torn down under it. */
void prepare_finish(void);

/* prepare_waited(begin): where a hold begins that began at ${begin} if this thread
 * has waited for a set-up since, which is told apart. */
uint64_t prepare_waited(uint64_t begin);

#endif
