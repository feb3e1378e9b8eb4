/*
 * Give every lane of a warp an element.
 *
 * Every fourth thread has an element and the others leave at once (bad), so
 * that each warp computes with 8 of its 32 lanes; or there are only as many
 * threads as elements (good), and all lanes compute.
 *
 * The only difference is how a thread finds its element.
 *
 * Rule: idle-lanes. Metric that moves: threads per executed instruction, 8
 * against 32, with hardly a divergent branch.
 *
 *   cudadvise run cudadvise-kernels idle-lanes --variant bad
 *   ncu --metrics smsp__thread_inst_executed_per_inst_executed.ratio \
 *     cudadvise-kernels idle-lanes --variant bad --once
 *
 * --size: elements (default: four full waves of threads).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 2048
#define THREADS 256

template<int SPREAD>
__global__ static void
mix_each(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, size_t n)
{
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	size_t i = t / SPREAD;

	if (t % SPREAD != 0 || i >= n)
		return;
	out[i] = mix_rounds(in[i], ROUNDS); /* HERE */
}

PAIR(idle_lanes, "give every lane of a warp an element",
    "threads per executed instruction")
{
	auto kernel = job->good ? mix_each<1> : mix_each<4>;
	int spread = job->good ? 1 : 4;
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * THREADS * 4;
	blocks = (unsigned)((n * spread + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 400, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out, n);
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
