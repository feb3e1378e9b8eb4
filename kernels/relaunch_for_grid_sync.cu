/*
 * Synchronise the grid inside one kernel.
 *
 * A thousand steps, in each of which every word depends on two words of the step
 * before, also of other blocks. One launch per step (bad) synchronises all blocks,
 * but costs the host more than the step costs the GPU. One cooperative launch
 * (good) loops over the steps, and grid.sync() synchronises the blocks.
 *
 * The only difference is where the loop is.
 *
 * Rule: relaunch-for-grid-sync. Metric that moves: GPU idle between launches.
 *
 *   cudadvise run cudadvise-kernels relaunch-for-grid-sync --variant bad
 *   nsys profile -t cuda \
 *     cudadvise-kernels relaunch-for-grid-sync --variant bad
 *
 * --repeat: thousands of steps (default 60).
 */
#include <cooperative_groups.h>
#include <stdlib.h>
#include <utility>

#include "harness.h"
#include "pairs.h"

#define STEPS 1000
#define THREADS 256
#define APART 77u		/* words: in another block for some */

static __host__ __device__ inline uint32_t
step_word(const uint32_t *from, unsigned i, unsigned n)
{
	return mix(from[i] + from[(i + APART) % n]);
}

__global__ static void
one_step(const uint32_t *__restrict__ from, uint32_t *__restrict__ to,
    unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = step_word(from, i, n);
}

/* ${in}, then between ${a} and ${b}. */
__global__ static void
all_steps(const uint32_t *in, uint32_t *a, uint32_t *b, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	const uint32_t *from = in;
	uint32_t *to = a;

	for (int k = 0; k < STEPS; k++) {
		to[i] = step_word(from, i, n);
		cooperative_groups::this_grid().sync();
		from = to;
		to = to == a ? b : a;
	}
}

static int
check_steps(struct job *job, const uint32_t *host, unsigned n)
{
	uint32_t *from = (uint32_t *)malloc(n * sizeof(*from));
	uint32_t *to = (uint32_t *)malloc(n * sizeof(*to));

	for (unsigned i = 0; from && to && i < n; i++)
		from[i] = seeded(job->seed, i);
	for (int k = 0; from && to && k < STEPS; k++) {
		for (unsigned i = 0; i < n; i++)
			to[i] = step_word(from, i, n);
		std::swap(from, to);
	}
	for (unsigned i = 0; from && to && i < n; i++)
		check_word(job, i, host[i], from[i]);
	free(from);
	free(to);
	return 0;
}

PAIR(relaunch_for_grid_sync, "synchronise the grid inside one kernel",
    "GPU idle between launches")
{
	unsigned blocks = (unsigned)job->gpu.multiProcessorCount;
	unsigned n = blocks * THREADS;
	uint32_t *in, *a, *b, *host;

	TRY(job_device(job, &in, n));
	TRY(job_device(job, &a, n));
	TRY(job_output(job, &b, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 60, [&] {
		const uint32_t *from = in;
		uint32_t *to = a;
		void *arguments[] = { &in, &a, &b, &n };

		if (job->good)
			return cudaLaunchCooperativeKernel(
			    (const void *)all_steps, blocks, THREADS,
			    arguments, 0, job->stream);
		for (int k = 0; k < STEPS; k++) {
			one_step<<<blocks, THREADS, 0, job->stream>>>(from, to,
			    n);
			from = to;
			to = to == a ? b : a;
		}
		return cudaGetLastError();
	}));
	job->operations = (double)STEPS * n;

	/* An even number of steps ends in b. */
	TRY(job_fetch(job, host, b, n));
	return job->check ? check_steps(job, host, n) : 0;
}
