/*
 * model/alike.h: launch shapes of one function that do the same to an SM. Pure.
 */
#ifndef CADV_ALIKE_H
#define CADV_ALIKE_H

#include <stdbool.h>

struct kernel;

#define ALIKE_FACTOR 2		/* of blocks: half of the GPU or all of it */

/* alike_grids(a, b): do both grids fill the GPU, or differ by no more than
 * ALIKE_FACTOR? What an SM that is full does to a block it does in a larger grid
 * too; a grid that leaves SMs idle is another case. */
bool alike_grids(const struct kernel *a, const struct kernel *b);

/* alike_shapes(a, b): and are their blocks the same, on the same GPU? */
bool alike_shapes(const struct kernel *a, const struct kernel *b);

#endif
