/*
 * Copy from pinned memory.
 *
 * Each round sends 32 MiB to the GPU and mixes it into a state. The host memory
 * comes from malloc (bad): the driver must copy it to a pinned buffer first,
 * piece by piece. Or it comes from cudaMallocHost (good), and the GPU reads it
 * by itself.
 *
 * The only difference is the allocation.
 *
 * Rule: pageable-host-memory. Metric that moves: bandwidth of the copies.
 *
 *   cudadvise run cudadvise-kernels pageable-host-memory --variant bad
 *   nsys profile -t cuda cudadvise-kernels pageable-host-memory --variant bad
 *
 * --size: words (default: 8 Mi).
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "pairs.h"

#define THREADS 256

__global__ static void
take_in(const uint32_t *__restrict__ in, uint32_t *state, size_t n)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step)
		state[i] = mix(state[i] ^ in[i]);
}

static int
send_rounds(struct job *job, uint32_t *from, size_t n)
{
	uint32_t *in, *state, *host;
	unsigned blocks;

	TRY(job_wave(job, &blocks, take_in, THREADS, 0));
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &state, &host, n));
	for (size_t i = 0; i < n; i++)
		from[i] = seeded(job->seed, i);

	TRY(job_measure(job, 150, [&] {
		cudaError_t e = cudaMemcpyAsync(in, from, n * sizeof(*in),
		    cudaMemcpyHostToDevice, job->stream);

		if (e != cudaSuccess)
			return e;
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

PAIR(pageable_host_memory, "copy from pinned memory",
    "copy bandwidth")
{
	size_t n = job->size ? job->size : (size_t)8 << 20;
	uint32_t *from;
	int rc;

	if (job->good) {
		TRY(job_pinned(job, &from, n));
		return send_rounds(job, from, n);
	}
	from = (uint32_t *)malloc(n * sizeof(*from));
	if (!from) {
		fprintf(stderr, "cudadvise-kernels: %s: out of memory\n",
		    job->name);
		return -1;
	}
	rc = send_rounds(job, from, n);
	free(from);
	return rc;
}
