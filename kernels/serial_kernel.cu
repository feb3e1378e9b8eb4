/*
 * Let all threads of a block share its loop.
 *
 * Each block has as many elements as threads. Thread 0 takes them one after the
 * other while the others have left (bad), or each thread takes one (good).
 *
 * The only difference is where a thread begins and ends.
 *
 * Rule: serial-kernel. Metric that moves: threads per executed instruction, 1
 * against 32; achieved occupancy, one warp of eight against all.
 *
 *   cudadvise run cudadvise-kernels serial-kernel --variant bad
 *   ncu --section WarpStateStats --section Occupancy \
 *     cudadvise-kernels serial-kernel --variant bad --once
 *
 * --size: blocks (default: a full wave).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 2048
#define THREADS 256

template<bool SHARED_OUT>
__global__ static void
mix_all(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
	unsigned first = SHARED_OUT ? threadIdx.x : 0;
	unsigned end = SHARED_OUT ? threadIdx.x + 1 :
	    threadIdx.x == 0 ? THREADS : 0;

#pragma unroll 1
	for (unsigned k = first; k < end; k++) {
		size_t i = (size_t)blockIdx.x * THREADS + k;

		out[i] = mix_rounds(in[i], ROUNDS); /* HERE */
	}
}

PAIR(serial_kernel, "let all threads of a block share its loop",
    "threads per executed instruction, achieved occupancy")
{
	auto kernel = job->good ? mix_all<true> : mix_all<false>;
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	if (job->size)
		blocks = (unsigned)job->size;
	n = (size_t)blocks * THREADS;
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 100, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out);
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
