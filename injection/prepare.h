/*
 * prepare.h: sets a context up for counters. CUPTI takes a third of a second
 * for this, with the GPU idle and no launches. It is done once, before the
 * first measured launch, which waits for it; and a second time, in half the
 * time, where kernels are launched so often that they get the counters of the
 * second configuration, too.
 */
#ifndef CADV_PREPARE_H
#define CADV_PREPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

struct signature;
struct target;

/* prepare_process(d, device): in the callback of a launch, without the window:
 * what the process needs before anything is measured or sampled, once; a tenth
 * of a second. Cheap once it is done. */
void prepare_process(const CUpti_CallbackData *d, uint32_t device);

/* The set-up that a context needs. */
struct prepare_wish {
	size_t config;			/* index of the configuration */
	bool turn;			/* it has another configuration now */
};

/*
 * prepare_target(d, s, w, begin): in the callback of a launch of ${s}, with the
 * window held, for a context without a profiler or with another configuration:
 * set it up and wait for that, but no longer than the hold that began at
 * ${begin} may last where other work keeps the GPU busy. Returns the context's
 * target, with the window held again; NULL, with the window released, if there
 * is none yet, for a reason that ${s} keeps.
 */
struct target *prepare_target(const CUpti_CallbackData *d,
    struct signature *s, const struct prepare_wish *w, uint64_t begin);

/* prepare_finish(): the program ends: waits until a set-up under way has ended,
 * or it is certain that only its wait for the GPU is left: CUDA must not be
 * torn down during it. */
void prepare_finish(void);

/* prepare_waited(begin): the begin of the hold that began at ${begin}, or the
 * end of this thread's last wait for a set-up if that is later: set-up is
 * charged separately. */
uint64_t prepare_waited(uint64_t begin);

#endif
