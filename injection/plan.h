/*
 * plan.h: what to measure at a launch: which pass of the counters, or counts by
 * instruction, and whether that fits into the hold. Guarded by the window
 * (window.h), except plan_wants_instructions and plan_done.
 */
#ifndef CADV_PLAN_H
#define CADV_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signature.h"
#include "target.h"

struct prepare_wish;

/* plan_wants_instructions(s): are the instructions of ${s} still to be counted?
 * A few loads. */
bool plan_wants_instructions(const struct signature *s);

/* plan_needed(s): the passes that ${s} should have, as a set. */
uint32_t plan_needed(const struct signature *s);

/* plan_headline(): the passes of the headline, which tell most and come
 * first. */
uint32_t plan_headline(void);

/* plan_patched(): the passes that count with patched code. */
uint32_t plan_patched(void);

/* plan_check(s): mark ${s} as measured if it lacks nothing. */
void plan_check(struct signature *s);

/* plan_done(): are all kernels seen so far measured? Any thread; without the
 * window the answer is approximate. */
bool plan_done(void);

/*
 * plan_profiler(t, s, w): does ${t} have to be set up before a launch of ${s},
 * and for which configuration? ${t} may be NULL. The profiler has the
 * headline's configuration while kernels lack it or new ones may come, then the
 * second one; it is not switched back, but after it was disabled it may start
 * again with the first.
 */
bool plan_profiler(struct target *t, const struct signature *s,
    struct prepare_wish *w);

/* plan_yields(t, s): leave this launch unmeasured in favour of another
 * kernel? */
bool plan_yields(const struct target *t, struct signature *s);

/* plan_matters(s): is its share of the GPU time known to be large enough? */
bool plan_matters(const struct signature *s);

/*
 * plan_pass(t, s, begin, pass, cost): the pass to collect at a launch of ${s}
 * in a hold that began at ${begin}, and its cost without the kernel. False if
 * this launch is not measured.
 */
bool plan_pass(struct target *t, struct signature *s, uint64_t begin,
    size_t *pass, uint64_t *cost);

/* plan_instructions(t, s, begin, cost): count this launch by instruction? And
 * the cost, including its kernel. */
bool plan_instructions(struct target *t, struct signature *s, uint64_t begin,
    uint64_t *cost);

/* plan_learn_patched(s, ns): a launch of ${s} with patched code took ${ns}. */
void plan_learn_patched(const struct signature *s, uint64_t ns);

/* plan_learn_cost(ns): a count by instruction took ${ns} after its kernel had
 * ended. */
void plan_learn_cost(uint64_t ns);

#endif
