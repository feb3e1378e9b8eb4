/*
 * plan.h: what a launch is measured for: which pass of the counters, or its
 * instructions, and whether that takes so long that the program must not be held
 * for it. But for plan_wants_instructions all is guarded by the window
 * (window.h).
 */
#ifndef CADV_PLAN_H
#define CADV_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signature.h"
#include "target.h"

struct prepare_wish;

/* plan_wants_instructions(s): are ${s}'s still to be counted? Cheap. */
bool plan_wants_instructions(const struct signature *s);

/* plan_needed(s): the passes of the counters that ${s} should have, as bits. */
uint32_t plan_needed(const struct signature *s);

/* plan_headline(): those of them that tell most, and come first. */
uint32_t plan_headline(void);

/* plan_check(s): mark ${s} as measured if it has everything it should have. */
void plan_check(struct signature *s);

/* plan_done(): does no kernel that was seen lack anything? Any thread, without the
 * window: what it says is about so. */
bool plan_done(void);

/*
 * plan_profiler(t, s, w): does ${t} have to be set up before a launch of ${s}, and
 * for what? ${t} may be NULL. The profiler has the headline's counters while kernels
 * lack them or new ones may come, then those of the second configuration: to these
 * it is turned, but not back; one that was put away may begin anew.
 */
bool plan_profiler(struct target *t, const struct signature *s,
    struct prepare_wish *w);

/* plan_yields(t, s): is this launch of ${s} left to another kernel? */
bool plan_yields(const struct target *t, struct signature *s);

/* plan_matters(s): is it known to take a part of the GPU's time that counts? */
bool plan_matters(const struct signature *s);

/*
 * plan_pass(t, s, begin, pass, cost): the pass to collect at a launch of ${s} in a
 * hold that began at ${begin}, and what that costs without the kernel. False if this
 * launch is not to be measured for its counters.
 */
bool plan_pass(struct target *t, struct signature *s, uint64_t begin,
    size_t *pass, uint64_t *cost);

/* plan_instructions(t, s, begin, cost): is this launch to be counted by
 * instruction, and what does that cost, its kernel included? */
bool plan_instructions(struct target *t, struct signature *s, uint64_t begin,
    uint64_t *cost);

/* plan_learn_patched(s, ns): a launch of ${s} with patched code took ${ns}. */
void plan_learn_patched(const struct signature *s, uint64_t ns);

/* plan_learn_cost(ns): counting by instruction took ${ns} after its kernel had ended. */
void plan_learn_cost(uint64_t ns);

#endif
