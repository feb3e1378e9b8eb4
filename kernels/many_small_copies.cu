/*
 * Copy once, not a thousand times.
 *
 * Each round sends 1,000 records of 4 KiB to the GPU and mixes them into a
 * state: with one call for each record (bad), or with one call for all of them
 * (good). The records lie next to each other in pinned memory in both.
 *
 * The only difference is the number of calls.
 *
 * Rule: many-small-copies. Metric that moves: number of copies, 1,000 a round
 * against 1.
 *
 *   cudadvise run cudadvise-kernels many-small-copies --variant bad
 *   nsys profile -t cuda cudadvise-kernels many-small-copies --variant bad
 *
 * --size: records (default 1,000).
 */
#include "harness.h"
#include "pairs.h"

#define RECORD 1024		/* words */
#define THREADS 256

__global__ static void
take_in(const uint32_t *__restrict__ in, uint32_t *state, size_t n)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step)
		state[i] = mix(state[i] ^ in[i]);
}

PAIR(many_small_copies, "copy once, not a thousand times",
    "number of copies")
{
	size_t records = job->size ? job->size : 1000, n = records * RECORD;
	size_t a_copy = job->good ? n : RECORD;
	uint32_t *from, *in, *state, *host;
	unsigned blocks;

	TRY(job_wave(job, &blocks, take_in, THREADS, 0));
	TRY(job_pinned(job, &from, n));
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &state, &host, n));
	for (size_t i = 0; i < n; i++)
		from[i] = seeded(job->seed, i);

	TRY(job_measure(job, 50, [&] {
		for (size_t at = 0; at < n; at += a_copy) {
			cudaError_t e = cudaMemcpyAsync(in + at, from + at,
			    a_copy * sizeof(*in), cudaMemcpyHostToDevice,
			    job->stream);

			if (e != cudaSuccess)
				return e;
		}
		take_in<<<blocks, THREADS, 0, job->stream>>>(in, state, n);
		return cudaGetLastError();
	}));
	job->bytes = (double)n * sizeof(*in);

	TRY(job_fetch(job, host, state, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t h = UINT32_MAX;	/* as poisoned */

		for (int k = 0; k < job->calls; k++)
			h = mix(h ^ seeded(job->seed, i));
		check_word(job, i, host[i], h);
	}
	return 0;
}
