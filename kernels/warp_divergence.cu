/*
 * Branch per warp, not per lane.
 *
 * Every thread puts its element through the same four computations equally
 * often. Which one comes next depends on the lane (bad), so that a warp runs
 * all four, each with a quarter of its lanes; or on the warp (good), so that
 * all its lanes do the same.
 *
 * The only difference is the number that chooses the branch.
 *
 * Rule: warp-divergence. Metric that moves: threads per executed instruction,
 * about 8 against 32; divergent branch targets, many against none.
 *
 *   cudadvise run cudadvise-kernels warp-divergence --variant bad
 *   ncu --metrics smsp__thread_inst_executed_per_inst_executed.ratio,\
 *     smsp__sass_branch_targets_threads_divergent.sum \
 *     cudadvise-kernels warp-divergence --variant bad --once
 *
 * --size: elements (default: a full wave of threads).
 */
#include "harness.h"
#include "pairs.h"

#define STEPS 512
#define THREADS 256

/* Four ways to stir a word, long enough not to be predicated. */
static __host__ __device__ inline uint32_t
stir(uint32_t h, unsigned way)
{
	switch (way) { /* HERE */
	case 0:
#pragma unroll
		for (int i = 0; i < 16; i++)
			h = (h ^ (h >> 15)) * 0x2c1b3c6du + 0x9e3779b9u;
		break;
	case 1:
#pragma unroll
		for (int i = 0; i < 16; i++)
			h = (h << 7 | h >> 25) * 5u + 0xe6546b64u;
		break;
	case 2:
#pragma unroll
		for (int i = 0; i < 16; i++)
			h = (h ^ (h << 13)) * 0x297a2d39u + 0x85ebca6bu;
		break;
	default:
#pragma unroll
		for (int i = 0; i < 16; i++)
			h = (h ^ (h >> 11)) * 0x27d4eb2fu + 0x165667b1u;
	}
	return h;
}

template<bool BY_WARP>
__global__ static void
stir_all(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	unsigned chooser = (unsigned)(BY_WARP ? i / 32 : i);
	uint32_t h;

	if (i >= n)
		return;
	h = in[i];
#pragma unroll 1
	for (unsigned k = 0; k < STEPS; k++)
		h = stir(h, (chooser + k) % 4); /* HERE */
	out[i] = h;
}

PAIR(warp_divergence, "branch per warp, not per lane",
    "threads per executed instruction, divergent branch targets")
{
	auto kernel = job->good ? stir_all<true> : stir_all<false>;
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 400, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out, n);
		return cudaGetLastError();
	}));
	job->operations = 16.0 * STEPS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		unsigned chooser = (unsigned)(job->good ? i / 32 : i);
		uint32_t h = seeded(job->seed, i);

		for (unsigned k = 0; k < STEPS; k++)
			h = stir(h, (chooser + k) % 4);
		check_word(job, i, host[i], h);
	}
	return 0;
}
