/*
 * choose.h: what a launch is measured for: which group of counters, its next
 * pass, or its instructions. But for choose_wants_instructions all is guarded by
 * the window (window.h).
 */
#ifndef CADV_CHOOSE_H
#define CADV_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "signature.h"
#include "target.h"

/* choose_wants_instructions(s): are ${s}'s still to be counted? Cheap. */
bool choose_wants_instructions(const struct signature *s);

/* choose_needed(s): the groups of counters that ${s} should have, as bits. */
uint32_t choose_needed(const struct signature *s);

/* choose_check(s): mark ${s} as measured if it has everything it should have. */
void choose_check(struct signature *s);

/*
 * choose_group(t, s, group): the group to measure at a launch of ${s}. False if
 * this launch is not to be measured for its counters.
 */
bool choose_group(struct target *t, const struct signature *s, size_t *group);

/* choose_instructions(t, s): is this launch to be counted by instruction? Where
 * it would take too long, ${s} is marked as done. */
bool choose_instructions(struct target *t, struct signature *s);

#endif
