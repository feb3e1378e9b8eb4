/*
 * Prefetch managed memory before a kernel touches it.
 *
 * Each round mixes another 32 MiB of managed memory, which the host has filled,
 * into a state on the device. As it is (bad) the kernel faults on every page of
 * it. After cudaMemPrefetchAsync (good) the pages are there: they came as large
 * copies.
 *
 * The only difference is the prefetch.
 *
 * Rule: unified-memory-faults. Metric that moves: page faults of the GPU.
 *
 *   cudadvise run cudadvise-kernels unified-memory-faults --variant bad
 *   nsys profile -t cuda --cuda-um-gpu-page-faults=true \
 *       cudadvise-kernels unified-memory-faults --variant bad
 *
 * --size: words of a round (default: 8 Mi). Rounds beyond the default of 23 find
 * their pages on the device.
 */
#include <string.h>

#include "harness.h"
#include "pairs.h"

#define PARTS 24		/* with the warm-up, a part a round */
#define THREADS 256

__global__ static void
take_in(const uint32_t *in, uint32_t *state, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		state[i] = mix(state[i] ^ in[i]);
}

static cudaError_t
prefetch(struct job *job, const uint32_t *part, size_t n)
{
	struct cudaMemLocation gpu;

	memset(&gpu, 0, sizeof(gpu));
	gpu.type = cudaMemLocationTypeDevice;
	cudaError_t e = cudaGetDevice(&gpu.id);

	return e != cudaSuccess ? e : cudaMemPrefetchAsync(part,
	    n * sizeof(*part), gpu, 0, job->stream);
}

PAIR(unified_memory_faults, "prefetch managed memory before a kernel touches it",
    "page faults of the GPU")
{
	size_t n = job->size ? job->size : (size_t)8 << 20;
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	uint32_t *in, *state, *host;
	int round = 0;

	TRY(job_managed_bytes(job, (void **)&in, PARTS * n * sizeof(*in)));
	TRY(job_output(job, &state, &host, n));
	for (size_t i = 0; i < PARTS * n; i++)
		in[i] = seeded(job->seed, i);
	TRY(cudaStreamSynchronize(job->stream));

	TRY(job_measure(job, PARTS - 1, [&] {
		const uint32_t *part = in + (size_t)(round++ % PARTS) * n;
		cudaError_t e = job->good ? prefetch(job, part, n) :
		    cudaSuccess;

		if (e != cudaSuccess)
			return e;
		take_in<<<blocks, THREADS, 0, job->stream>>>(part, state, n);
		return cudaGetLastError();
	}));
	job->bytes = (double)n * sizeof(*in);

	TRY(job_fetch(job, host, state, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t h = UINT32_MAX;	/* as poisoned */

		for (int k = 0; k < job->calls; k++)
			h = mix(h ^ seeded(job->seed,
			    (uint64_t)(k % PARTS) * n + i));
		check_word(job, i, host[i], h);
	}
	return 0;
}
