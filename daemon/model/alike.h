/*
 * model/alike.h: launch shapes of one function that do the same to an SM. Pure.
 */
#ifndef CADV_ALIKE_H
#define CADV_ALIKE_H

#include <stdbool.h>

struct kernel;

#define ALIKE_FACTOR 2		/* blocks of one grid / blocks of the other */

/* alike_grids(a, b): does each grid have a wave or more, or do their blocks differ by
 * no more than ALIKE_FACTOR? On a full SM a block runs the same in a larger grid; in a
 * grid that leaves SMs idle it does not. */
bool alike_grids(const struct kernel *a, const struct kernel *b);

/* alike_shapes(a, b): alike_grids, and the same block dimensions and shared memory on
 * the same GPU? */
bool alike_shapes(const struct kernel *a, const struct kernel *b);

#endif
