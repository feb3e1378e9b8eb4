/*
 * rules/evidence/neighbour.h: launch shapes that were not measured, covered by
 * measured shapes of the same function. A factorisation has another grid in
 * each step, of which a few are measured; a fault found in those is in the
 * others, too, since they run the same code in the same blocks.
 *
 * The nearest measured shape stands for one that was not measured: if the rule
 * found it clean, nothing is reported for its neighbour. Their grids have to be
 * alike (model/alike.h). The relative gain is that of the measured shape; the
 * low view has none.
 */
#ifndef CADV_NEIGHBOUR_H
#define CADV_NEIGHBOUR_H

#include <stddef.h>

#include "rules/engine/rule.h"

/* neighbour_cover(x, first): cover the shapes that lack data for the view's
 * rule, whose drafts begin at ${first} and whose states are in x->seen. To be
 * called before group_all. */
void neighbour_cover(struct rule_view *x, size_t first);

#endif
