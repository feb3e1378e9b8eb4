/*
 * Make the block a multiple of 32 threads.
 *
 * The same elements, one a thread, in blocks of 100 threads (bad), whose last
 * warp has 4 of 32 lanes; or of 128 (good), all of whose warps are full. Both
 * reach full occupancy.
 *
 * The only difference is the block size.
 *
 * Rule: block-not-warp-multiple. Metric that moves: threads per executed
 * instruction, 25 against 32.
 *
 *   cudadvise run cudadvise-kernels block-not-warp-multiple --variant bad
 *   ncu --metrics smsp__thread_inst_executed_per_inst_executed.ratio \
 *     cudadvise-kernels block-not-warp-multiple --variant bad --once
 *
 * --size: elements (default: whole waves with either block size).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 1024

__global__ static void
mix_all(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = mix_rounds(in[i], ROUNDS);
}

PAIR(block_not_warp_multiple, "make the block a multiple of 32 threads",
    "threads per executed instruction")
{
	unsigned threads = job->good ? 128 : 100;
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	/* 25 waves of 128 threads hold as much as 32 waves of 100. */
	TRY(job_wave(job, &blocks, mix_all, 128, 0));
	n = job->size ? job->size : (size_t)blocks * 25 * 128;
	blocks = (unsigned)((n + threads - 1) / threads);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 400, [&] {
		mix_all<<<blocks, threads, 0, job->stream>>>(in, out, n);
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
