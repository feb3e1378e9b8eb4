/*
 * Let each thread work on two things at once.
 *
 * Each thread runs two walks of 8192 steps through a table in shared memory,
 * in which it has a column of its own. A step needs the value that the step
 * before it read. With one walk after the other (bad) the thread waits for
 * shared memory all the time; interleaved (good), each walk hides latency of
 * the other.
 *
 * The only difference is the order of two loops.
 *
 * Rule: low-ilp. Metric that moves: stalls short_scoreboard and wait; issued
 * instructions a cycle.
 *
 *   cudadvise run --level source cudadvise-kernels low-ilp --variant bad
 *   ncu --section WarpStateStats --section SchedulerStats \
 *     cudadvise-kernels low-ilp --variant bad --once
 *
 * --size: blocks (default: half a wave, four warps per scheduler of an H200: a
 * problem that is too small to have more).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define LANES 32
#define ROWS 384		/* 48 KiB; a multiple of 128, so that a flip of
				 * seven bits leads to a row */
#define WALKS 2
#define STEPS 8192
constexpr int UNROLL = 8;
#define FLIP 85			/* a step continues at another row than it read */

/* The value of the table in ${row} of column ${lane}: the next row. */
static __host__ __device__ inline uint32_t
next_row(uint32_t row, uint32_t lane)
{
	return (row * 13 + 2 * lane + 1) % ROWS;
}

/* The table holds byte offsets, so that nothing but the walk is computed. */
static __device__ inline uint32_t
read_at(const uint32_t *table, uint32_t at)
{
	return *(const uint32_t *)((const char *)table + at); /* HERE */
}

template<bool TOGETHER>
__global__ static void
walk_columns(uint32_t *__restrict__ out, uint64_t seed, int steps)
{
	const uint32_t row_bytes = LANES * sizeof(uint32_t);
	__shared__ uint32_t table[ROWS * LANES];
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t lane = threadIdx.x % LANES, at[WALKS];

	for (uint32_t i = threadIdx.x; i < ROWS * LANES; i += THREADS)
		table[i] = next_row(i / LANES, i % LANES) * row_bytes;
	__syncthreads();
#pragma unroll
	for (int w = 0; w < WALKS; w++)
		at[w] = seeded(seed, t * WALKS + w) % ROWS * row_bytes;
	if (TOGETHER) {
#pragma unroll (UNROLL)
		for (int s = 0; s < steps; s++)
#pragma unroll
			for (int w = 0; w < WALKS; w++)
				at[w] = read_at(table + lane, at[w]) ^
				    FLIP * row_bytes;
	} else {
#pragma unroll
		for (int w = 0; w < WALKS; w++)
#pragma unroll (UNROLL)
			for (int s = 0; s < steps; s++) /* HERE */
				at[w] = read_at(table + lane, at[w]) ^ /* HERE */
				    FLIP * row_bytes; /* HERE */
	}
#pragma unroll
	for (int w = 0; w < WALKS; w++)
		out[t * WALKS + w] = at[w] / row_bytes;
}

PAIR(low_ilp, "let each thread work on two things at once",
    "stalls for results, issued instructions a cycle")
{
	auto kernel = job->good ? walk_columns<true> : walk_columns<false>;
	uint32_t *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, walk_columns<false>, THREADS, 0));
	blocks = job->size ? (unsigned)job->size : (blocks + 1) / 2;
	n = (size_t)blocks * THREADS * WALKS;
	TRY(job_output(job, &out, &host, n));

	TRY(job_measure(job, 600, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(out, job->seed,
		    STEPS);
		return cudaGetLastError();
	}));
	job->operations = (double)STEPS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t lane = (uint32_t)(i / WALKS % LANES);
		uint32_t row = seeded(job->seed, i) % ROWS;

		for (int k = 0; k < STEPS; k++)
			row = next_row(row, lane) ^ FLIP;
		check_word(job, i, host[i], row);
	}
	return 0;
}
