/*
 * rules/evidence/resident.h: how long the warps and blocks of a kernel are there. Pure.
 */
#ifndef CADV_RESIDENT_H
#define CADV_RESIDENT_H

#include "rules/engine/rule.h"

/* resident_warps(x): warps of a block that reside in the mean cycle of an SM with work: of
 * the blocks that an SM holds, or, in less than one wave, has; NaN if not counted. */
double resident_warps(const struct rule_view *x);

/* resident_together(c): must every warp of a block stay about as long as its block, as all
 * go through a loop with a barrier, or to one behind which little is left? false if the
 * code is not known, or not to. */
bool resident_together(const struct code *c);

#endif
