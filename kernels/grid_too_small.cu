/*
 * Launch at least enough blocks for every multiprocessor.
 *
 * The same elements are walked through with a grid-stride loop by 16 blocks
 * (bad), which leaves most multiprocessors without work; or by as many blocks
 * as reside on the GPU (good).
 *
 * The only difference is the grid size.
 *
 * Rule: grid-too-small. Metric that moves: blocks per multiprocessor, 0.12
 * against 2 (H200).
 *
 *   cudadvise run cudadvise-kernels grid-too-small --variant bad
 *   ncu --section LaunchStats \
 *     cudadvise-kernels grid-too-small --variant bad --once
 *
 * --size: elements (default: two for each thread of a full wave).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 2048
#define THREADS 1024
#define BAD_BLOCKS 16

__global__ static void
mix_strided(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
    size_t n)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step)
		out[i] = mix_rounds(in[i], ROUNDS);
}

PAIR(grid_too_small, "launch at least enough blocks for every multiprocessor",
    "blocks per multiprocessor")
{
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, mix_strided, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * THREADS * 2;
	if (!job->good)
		blocks = BAD_BLOCKS;
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 400, [&] {
		mix_strided<<<blocks, THREADS, 0, job->stream>>>(in, out, n);
		return cudaGetLastError();
	}));
	job->operations = (double)ROUNDS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i],
		    mix_rounds(seeded(job->seed, i), ROUNDS));
	}
	return 0;
}
