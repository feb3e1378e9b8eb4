/*
 * model/occupancy.h: theoretical occupancy of a launch shape. Pure.
 *
 * If the CUDA toolkit is present at build time, NVIDIA's cuda_occupancy.h does the
 * arithmetic; else, and for GPUs that it does not know, occupancy_own.c does, from the
 * limits in the device's record and the allocation rules in the CUDA programming
 * guide. A unit test compares the two.
 *
 * best_block: among the multiples of a warp, the block size of highest
 * theoretical occupancy with the same registers per thread and shared memory
 * per block. If the launch's own size reaches that, it is the best; else, among equals,
 * the one nearest to the usual 256, 128 and 512.
 */
#ifndef CADV_OCCUPANCY_H
#define CADV_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

#define OCCUPANCY_UNLIMITED UINT32_MAX	/* in limit_blocks */

/* Resident blocks per SM that each limit allows, for ${threads} per block, into
 * ${limit} (limit_blocks of struct occupancy). -1 if it cannot be computed for this
 * device or shape. LIMITER_CLUSTER is left unlimited. */
typedef int occupancy_calculator(const struct record_DEVICE *d,
    const struct record_SIGNATURE *s, uint32_t threads,
    uint32_t limit[LIMITER_COUNT]);

occupancy_calculator occupancy_own;
#ifdef HAVE_CUDA_OCCUPANCY
occupancy_calculator occupancy_cuda;
#endif

/* occupancy_of(o, d, s): fill ${o}; ${o}->known is false if it cannot be computed. */
void occupancy_of(struct occupancy *o, const struct record_DEVICE *d,
    const struct record_SIGNATURE *s);

/* The same with a calculator of choice, for the test. */
void occupancy_with(struct occupancy *o, const struct record_DEVICE *d,
    const struct record_SIGNATURE *s, occupancy_calculator *calculate);

#endif
