/*
 * rules/evidence/neighbour.h: launch shapes that were not measured, covered by those of the
 * same function that were. A factorisation has a grid a step, of which a few are
 * measured; what is wrong there is wrong in the others, since they run the same
 * code in the same blocks.
 *
 * The nearest measured shape stands for one that was not: if the rule found it
 * clean, nothing is said of its neighbour either. Their grids have to be alike
 * (model/alike.h).
 * The relative gain is that of the measured shape; the pessimist counts none.
 */
#ifndef CADV_NEIGHBOUR_H
#define CADV_NEIGHBOUR_H

#include <stddef.h>

#include "rules/engine/rule.h"

/* neighbour_cover(x, first): of the view's rule, whose drafts begin at ${first}
 * and whose states are in x->seen. Before group_all. */
void neighbour_cover(struct rule_view *x, size_t first);

#endif
