/*
 * rules/evidence/neighbour.h: launch shapes that were not measured, covered by those of the
 * same function that were. A factorisation has a grid a step, of which a few are
 * measured; what is wrong there is wrong in the others, since they run the same
 * code in the same blocks.
 *
 * The nearest measured shape stands for one that was not: if the rule found it
 * clean, nothing is said of its neighbour either. Grids both have to fill the GPU,
 * or differ by no more than NEIGHBOUR_FACTOR: what an SM that is full does to a
 * block it does in a larger grid too; a grid that leaves SMs idle is another case.
 * The relative gain is that of the measured shape; the pessimist counts none.
 */
#ifndef CADV_NEIGHBOUR_H
#define CADV_NEIGHBOUR_H

#include <stddef.h>

#include "rules/engine/rule.h"

#define NEIGHBOUR_FACTOR 2	/* of blocks: half of the GPU or all of it */

/* neighbour_cover(x, first): of the view's rule, whose drafts begin at ${first}
 * and whose states are in x->seen. Before group_all. */
void neighbour_cover(struct rule_view *x, size_t first);

#endif
