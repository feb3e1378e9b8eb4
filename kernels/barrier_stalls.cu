/*
 * Synchronise the warps that share data, not the whole block.
 *
 * Each warp follows a chain through global memory, one to eight steps at a
 * time, as the data say; after each stretch its lanes exchange words with their
 * neighbours through shared memory. Both sides of an exchange are in one warp,
 * yet __syncthreads() (bad) makes all eight warps of the block wait for the one
 * with the longest stretch; __syncwarp() (good) waits for the lanes of the warp.
 *
 * The only difference is the barrier.
 *
 * Rule: barrier-stalls. Metric that moves: stalls at barriers.
 *
 *   cudadvise run --level source cudadvise-kernels barrier-stalls \
 *     --variant bad
 *   ncu --section WarpStateStats --section SourceCounters \
 *     cudadvise-kernels barrier-stalls --variant bad --once
 *
 * --size: blocks (default: a full wave).
 */
#include "chase.h"
#include "pairs.h"

#define STRETCHES 128
#define STEPS_MOST 8		/* of a stretch */
#define THREADS 256

/* 1 to STEPS_MOST, from bits that do not repeat soon. */
static __host__ __device__ inline int
stretch_of(uint32_t line)
{
	return 1 + (int)(line >> 10) % STEPS_MOST;
}

template<bool OF_WARP>
static __device__ inline void
wait_for_others(void)
{
	if (OF_WARP)
		__syncwarp();
	else
		__syncthreads(); /* HERE */
}

template<bool OF_WARP>
__global__ static void
exchange(const uint32_t *__restrict__ table, uint32_t *__restrict__ out,
    uint64_t seed)
{
	__shared__ volatile uint32_t word[THREADS];
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t line = chase_start(seed, t / CHASE_LANES), sum = 0;

#pragma unroll 1
	for (int s = 0; s < STRETCHES; s++) {
		line = chase(table, line, stretch_of(line));
		word[threadIdx.x] = line + threadIdx.x;
		wait_for_others<OF_WARP>(); /* HERE */
		sum += word[threadIdx.x ^ 1];
		wait_for_others<OF_WARP>(); /* HERE */
	}
	out[t] = sum;
}

PAIR(barrier_stalls, "synchronise the warps that share data, not the whole block",
    "stalls at barriers")
{
	auto kernel = job->good ? exchange<true> : exchange<false>;
	uint32_t *table, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, exchange<false>, THREADS, 0));
	if (job->size)
		blocks = (unsigned)job->size;
	n = (size_t)blocks * THREADS;
	TRY(job_output(job, &out, &host, n));
	TRY(chase_table(job, &table));

	TRY(job_measure(job, 300, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(table, out,
		    job->seed);
		return cudaGetLastError();
	}));

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t line = chase_start(job->seed, i / CHASE_LANES);
		uint32_t sum = 0;

		for (int k = 0; k < STRETCHES; k++) {
			line = chase_host(line, stretch_of(line));
			sum += line + (uint32_t)(i % THREADS ^ 1);
		}
		check_word(job, i, host[i], sum);
	}
	return 0;
}
