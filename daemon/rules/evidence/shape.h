/*
 * rules/evidence/shape.h: the effect of a narrow block on accesses along rows.
 * In a block of 4 × 64 threads the lanes of a warp cover 8 rows, 4 adjacent
 * lanes in each: if threadIdx.x is the index along the row, a warp that should
 * touch one run of 32 elements touches 8 runs of 4. Pure.
 */
#ifndef CADV_SHAPE_H
#define CADV_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;

/* shape_common(a, b): the greatest common divisor. */
uint32_t shape_common(uint32_t a, uint32_t b);

/* shape_is_narrow(k): does the block have several rows of fewer than 32 threads? */
bool shape_is_narrow(const struct kernel *k);

/*
 * shape_sectors(k, bytes): mean sectors of a request of 32 lanes of ${bytes} (1
 * to 16) each, along rows of aligned pitch; ${bytes}, the ideal, for blocks
 * that are not narrow.
 */
double shape_sectors(const struct kernel *k, double bytes);

/* shape_explains(k, sectors, bytes): is the block narrow, and are ${sectors}
 * per request what its shape makes of such an access, and more than necessary? */
bool shape_explains(const struct kernel *k, double sectors, double bytes);

#endif
