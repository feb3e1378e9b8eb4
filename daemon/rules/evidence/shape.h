/*
 * rules/evidence/shape.h: what a narrow block does to accesses along rows. In a block of
 * 4 × 64 threads the lanes of a warp stand in 8 rows, 4 next to each other in
 * each: where threadIdx.x is the index along the row, a warp that should touch
 * one run of 32 elements touches 8 runs of 4. Pure.
 */
#ifndef CADV_SHAPE_H
#define CADV_SHAPE_H

#include <stdbool.h>

struct kernel;

/* shape_is_narrow(k): several rows of threads in a block, of < 32 each. */
bool shape_is_narrow(const struct kernel *k);

/*
 * shape_sectors(k, bytes): sectors of a request of 32 lanes, ${bytes} (1 to 16)
 * each, along rows of aligned pitch. With blocks of whole warps of x it is the
 * ideal, ${bytes}.
 */
double shape_sectors(const struct kernel *k, double bytes);

/* shape_explains(k, sectors, bytes): is the block narrow, are ${sectors} a
 * request what its shape makes of such an access, and more than they need be? */
bool shape_explains(const struct kernel *k, double sectors, double bytes);

#endif
