/*
 * plan.h: decides what to measure at a launch: which pass of the counters, or counts by
 * instruction, and whether that fits into the hold. Guarded by the window (window.h),
 * except plan_wants_instructions and plan_done.
 */
#ifndef CADV_PLAN_H
#define CADV_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signature.h"
#include "target.h"

struct prepare_wish;

/* plan_wants_instructions(s): whether the instructions of ${s} are still to be counted.
 * A few loads. */
bool plan_wants_instructions(const struct signature *s);

/* plan_needed(s): the passes that ${s} should get, as a set of bits. */
uint32_t plan_needed(const struct signature *s);

/* plan_headline(): the passes of the headline, which tell most and come first, as a set
 * of bits. */
uint32_t plan_headline(void);

/* plan_patched(): the passes that count with patched code, as a set of bits. */
uint32_t plan_patched(void);

/* plan_check(s): mark ${s} as measured if it lacks nothing, and as complete if it has
 * all passes. */
void plan_check(struct signature *s);

/* plan_keep(t, s): give up the passes of ${s} that the profiler of ${t} would have to be
 * turned on, or to the other configuration, for, if it must stay as it is
 * (target_kept). */
void plan_keep(const struct target *t, struct signature *s);

/* plan_done(): whether all kernels seen so far are measured. Any thread; the answer is
 * approximate if the window is not held. */
bool plan_done(void);

/*
 * plan_profiler(t, s, w): whether target ${t} (may be NULL) has to be set up before a
 * launch of ${s}; the set-up that it needs goes to ${w}. The profiler has the
 * headline's configuration as long as kernels lack the headline or new kernels may
 * come, then the second configuration. It is not switched back, but after it was
 * disabled it may start with the first again.
 */
bool plan_profiler(struct target *t, const struct signature *s,
    struct prepare_wish *w);

/* plan_yields(t, s): whether to leave this launch unmeasured in favour of another
 * kernel. */
bool plan_yields(const struct target *t, struct signature *s);

/* plan_has_now(t, s): whether ${s} lacks something that the profiler of ${t} can count as
 * it is. */
bool plan_has_now(const struct target *t, const struct signature *s);

/* plan_matters(s): whether its share of the GPU time is known to be large enough. */
bool plan_matters(const struct signature *s);

/*
 * plan_pass(t, s, begin, pass, cost): choose the pass to collect at a launch of ${s},
 * in a hold that began at ${begin}, and its cost in nanoseconds without the kernel.
 * False if no pass is collected.
 */
bool plan_pass(struct target *t, struct signature *s, uint64_t begin,
    size_t *pass, uint64_t *cost);

/* plan_instructions(t, s, begin, cost): whether to count the instructions of this
 * launch, and the cost in nanoseconds including its kernel. */
bool plan_instructions(struct target *t, struct signature *s, uint64_t begin,
    uint64_t *cost);

/* plan_learn_patched(s, ns): a launch of ${s} with patched code took ${ns}. */
void plan_learn_patched(const struct signature *s, uint64_t ns);

/* plan_learn_cost(ns): a count by instruction took ${ns} in addition to its kernel. */
void plan_learn_cost(uint64_t ns);

#endif
