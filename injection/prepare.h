/*
 * prepare.h: sets up a context for counters. CUPTI takes a third of a second for this,
 * with the GPU idle and no launches. It is done once, before the first measured launch,
 * which waits for it. It is done a second time, in half the time, if kernels are
 * launched so often that they also get the counters of the second configuration.
 */
#ifndef CADV_PREPARE_H
#define CADV_PREPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

struct signature;
struct target;

/* prepare_process(d, device): in the callback of a launch, without the window: prepare
 * the process for measuring or sampling, once, which takes a tenth of a second. Cheap
 * when that is done. */
void prepare_process(const CUpti_CallbackData *d, uint32_t device);

/* The set-up that a context needs. */
struct prepare_wish {
	size_t config;			/* index of the configuration */
	bool turn;			/* the context has another configuration now */
};

/*
 * prepare_target(d, s, w, begin): in the callback of a launch of ${s}, with the window
 * held, for a context without a profiler or with another configuration: start the
 * set-up and wait for it. If other work keeps the GPU busy, wait only as long as the
 * hold that began at ${begin} may last. Returns the context's target, with the window
 * held again; NULL, with the window released, if there is none yet (${s} keeps the
 * reason).
 */
struct target *prepare_target(const CUpti_CallbackData *d,
    struct signature *s, const struct prepare_wish *w, uint64_t begin);

/* prepare_when(w): the time before which the budget refuses that set-up. */
uint64_t prepare_when(const struct prepare_wish *w);

/* prepare_finish(): the program ends: wait until a set-up under way has ended, or is
 * certain to wait for the GPU only. CUDA must not be torn down during the rest of
 * it. */
void prepare_finish(void);

/* prepare_gone(context): that context is about to be destroyed: do not set it up any
 * more, unless CUPTI does so already. */
void prepare_gone(CUcontext context);

/* prepare_waited(begin): the time from which a hold that began at ${begin} is charged:
 * ${begin}, or the end of this thread's last wait for a set-up if that is later,
 * because set-up is charged separately. */
uint64_t prepare_waited(uint64_t begin);

#endif
