/*
 * Unroll a short hot loop.
 *
 * Each thread mixes its word 4096 times, three instructions each time. Counting,
 * comparing and branching back each time (bad) takes as many again; in a loop
 * that is unrolled 16 times (good) that is done every 16th time.
 *
 * The only difference is the pragma.
 *
 * Rule: loop-not-unrolled. Metric that moves: executed instructions, about
 * half; branches, a 16th.
 *
 *   cudadvise run --level source cudadvise-kernels loop-not-unrolled \
 *     --variant bad
 *   ncu --metrics smsp__inst_executed.sum,\
 *     smsp__sass_inst_executed_op_branch.sum \
 *     cudadvise-kernels loop-not-unrolled --variant bad --once
 *
 * --size: words (default: four full waves of threads).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define WAVES 4
#define ROUNDS 4096

template<int UNROLL>
__global__ static void
stir(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t h;

	if (i >= n)
		return;
	h = in[i];
#pragma unroll (UNROLL)
	for (int k = 0; k < ROUNDS; k++) /* HERE */
		h = (h ^ (h >> 15)) * 0x2c1b3c6du + 0x9e3779b9u; /* HERE */
	out[i] = h;
}

PAIR(loop_not_unrolled, "unroll a short hot loop",
    "executed instructions, branches")
{
	auto kernel = job->good ? stir<16> : stir<1>;
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * WAVES * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 150, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out,
		    (unsigned)n);
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
