/*
 * chase.h: latency-bound work for the occupancy pairs: each warp follows its
 * own chain through a table too large for the caches. A step is one line of
 * 128 bytes, read by 32 lanes in one request, and has the index of the next
 * step: a warp has one request in flight, and only more warps hide the
 * latency.
 */
#ifndef CADV_CHASE_H
#define CADV_CHASE_H

#include "harness.h"

#define CHASE_LINES (1u << 21)	/* 256 MiB */
#define CHASE_LANES 32

/* A permutation with one cycle through all lines (a full-period generator). */
static __host__ __device__ inline uint32_t
chase_next(uint32_t line)
{
	return (line * 1664525u + 1013904223u) % CHASE_LINES;
}

static __host__ __device__ inline uint32_t
chase_start(uint64_t seed, uint64_t chain)
{
	return seeded(seed, chain) % CHASE_LINES;
}

static __device__ inline uint32_t
chase(const uint32_t *__restrict__ table, uint32_t line, int steps)
{
	unsigned lane = threadIdx.x % CHASE_LANES;

#pragma unroll 1
	for (int s = 0; s < steps; s++)
		line = table[(size_t)line * CHASE_LANES + lane];
	return line;
}

/* The same on the host. */
static inline uint32_t
chase_host(uint32_t line, int steps)
{
	for (int s = 0; s < steps; s++)
		line = chase_next(line);
	return line;
}

/* chase_table(job, table): allocate and fill it. */
cudaError_t chase_table(struct job *job, uint32_t **table);

#endif
