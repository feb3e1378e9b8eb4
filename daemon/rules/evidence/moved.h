/*
 * rules/evidence/moved.h: which line makes the copies of a direction, and what else the host
 * does for them. A copy's record has its size and direction, a call's site neither: the
 * driver's function tells the direction, and how long the host was seen at the line how much
 * of the bytes are its. Pure.
 */
#ifndef CADV_MOVED_H
#define CADV_MOVED_H

#include "rules/engine/rule.h"

/* moved_site(x, d, kind, bytes): the place of a finding about copies of that direction is where
 * most of them are made, or, with ${bytes}, those with the most bytes as far as it is known. No
 * place that is known to copy the other way. */
void moved_site(const struct rule_view *x, struct draft *d, enum wire_copy kind, bool bytes);

/* moved_gathered(run, at): the seconds for which the GPU waits in front of the copies to it that
 * PyTorch makes in the function of ${at}, if the host is mostly at other lines of that function
 * then, in what is no Python, as where batches are indexed out of a data set; else 0. */
double moved_gathered(const struct run *run, const struct site *at);

#endif
