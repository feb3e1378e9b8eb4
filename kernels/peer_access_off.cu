/*
 * Switch peer access on before copying between GPUs.
 *
 * Each round mixes 64 MiB on one GPU and copies it to another. As it is (bad)
 * the driver takes the copy through the host. After cudaDeviceEnablePeerAccess
 * (good) it goes directly, if the two GPUs can access each other.
 *
 * The only difference is the two calls before the first round. Needs two GPUs.
 *
 * Rule: peer-access-off. Metric that moves: copies through the host.
 *
 *   cudadvise run cudadvise-kernels peer-access-off --variant bad
 *   nsys profile -t cuda cudadvise-kernels peer-access-off --variant bad
 *
 * --size: words (default: 16 Mi).
 */
#include <stdio.h>

#include "harness.h"
#include "pairs.h"

#define THREADS 256

__global__ static void
mix_all(uint32_t *state, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		state[i] = mix(state[i]);
}

/* Allocate on ${device}, and let it reach ${own} in the good variant. */
static int
set_up(struct job *job, int own, int device, uint32_t **there, size_t n)
{
	int can = 0;

	TRY(cudaDeviceCanAccessPeer(&can, own, device));
	if (!can)
		fprintf(stderr, "cudadvise-kernels: %s: these two GPUs cannot "
		    "reach each other\n", job->name);
	if (job->good && can)
		TRY(cudaDeviceEnablePeerAccess(device, 0));
	TRY(cudaSetDevice(device));
	if (job->good && can)
		TRY(cudaDeviceEnablePeerAccess(own, 0));
	TRY(job_device(job, there, n));
	TRY(cudaMemset(*there, 0xff, n * sizeof(**there)));
	TRY(cudaDeviceSynchronize());
	TRY(cudaSetDevice(own));
	return 0;
}

PAIR(peer_access_off, "switch peer access on before copying between GPUs",
    "copies through the host")
{
	size_t n = job->size ? job->size : (size_t)16 << 20;
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	uint32_t *here, *there, *host;
	int own, other;

	TRY(job_second(job, &other));
	TRY(cudaGetDevice(&own));
	TRY(job_device(job, &here, n));
	TRY(job_pinned(job, &host, n));
	if (set_up(job, own, other, &there, n))
		return -1;
	TRY(fill_words(job, here, n, job->seed));

	TRY(job_measure(job, 60, [&] {
		mix_all<<<blocks, THREADS, 0, job->stream>>>(here, n);
		cudaError_t e = cudaGetLastError();

		return e != cudaSuccess ? e : cudaMemcpyPeerAsync(there, other,
		    here, own, n * sizeof(*here), job->stream);
	}));
	job->bytes = (double)n * sizeof(*here);

	TRY(job_fetch(job, host, there, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i], mix_rounds(seeded(job->seed, i),
		    job->calls));
	}
	return 0;
}
