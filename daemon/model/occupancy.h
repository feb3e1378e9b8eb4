/*
 * model/occupancy.h: theoretical occupancy of a launch shape. Pure.
 *
 * Where the CUDA toolkit is there at build time NVIDIA's cuda_occupancy.h does
 * the arithmetic; without it occupancy_own.c does, from the limits in the
 * device's record and the allocation rules in the CUDA programming guide. A
 * unit test compares the two.
 *
 * best_block: among the multiples of a warp, the block size of highest
 * theoretical occupancy with the same registers per thread and shared memory
 * per block. The launch's own size if it is as good as any; else the nearest
 * to the usual 256, 128 and 512 that is.
 */
#ifndef CADV_OCCUPANCY_H
#define CADV_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

#define OCCUPANCY_UNLIMITED UINT32_MAX	/* in limit_blocks */

/* Resident blocks per SM that each limit allows, for ${threads} a block:
 * limit_blocks of struct occupancy. -1 if the device or shape is none that can
 * be computed. LIMITER_CLUSTER is left unlimited. */
typedef int occupancy_calculator(const struct record_DEVICE *d,
    const struct record_SIGNATURE *s, uint32_t threads,
    uint32_t limit[LIMITER_COUNT]);

occupancy_calculator occupancy_own;
#ifdef HAVE_CUDA_OCCUPANCY
occupancy_calculator occupancy_cuda;
#endif

/* occupancy_of(o, d, s): all of it; ${o}->known is false if it cannot be. */
void occupancy_of(struct occupancy *o, const struct record_DEVICE *d,
    const struct record_SIGNATURE *s);

/* The same with a calculator of choice, for the test. */
void occupancy_with(struct occupancy *o, const struct record_DEVICE *d,
    const struct record_SIGNATURE *s, occupancy_calculator *calculate);

#endif
