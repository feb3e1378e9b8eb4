/*
 * Free every allocation.
 *
 * The program fills 16 buffers of 64 MiB on the GPU, several times over, and
 * fetches the last one. It ends without cudaFree (bad) or frees them (good).
 *
 * The only difference is the loop that frees.
 *
 * Rule: device-memory-leak. Metric that moves: bytes live at exit, 1 GiB
 * against none.
 *
 *   cudadvise run cudadvise-kernels device-memory-leak --variant bad
 *   compute-sanitizer --leak-check full \
 *     cudadvise-kernels device-memory-leak --variant bad --once
 *
 * --size: words of a buffer (default: 16 Mi).
 */
#include "harness.h"
#include "pairs.h"

#define BUFFERS 16
#define ROUNDS 96
#define THREADS 256

__global__ static void
fill_mixed(uint32_t *to, size_t n, uint64_t seed)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = mix_rounds(seeded(seed, i), ROUNDS);
}

PAIR(device_memory_leak, "free every allocation",
    "bytes live at exit")
{
	size_t n = job->size ? job->size : (size_t)16 << 20;
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	uint32_t *buffer[BUFFERS] = {}, *host;

	TRY(job_pinned(job, &host, n));
	for (int b = 0; b < BUFFERS; b++)
		TRY(cudaMalloc(&buffer[b], n * sizeof(*buffer[b])));
	TRY(cudaMemsetAsync(buffer[BUFFERS - 1], 0xff,
	    n * sizeof(*buffer[0]), job->stream));

	TRY(job_measure(job, 60, [&] {
		cudaError_t e = cudaSuccess;

		for (int b = 0; e == cudaSuccess && b < BUFFERS; b++) {
			fill_mixed<<<blocks, THREADS, 0, job->stream>>>(
			    buffer[b], n, job->seed + b);
			e = cudaGetLastError();
		}
		return e;
	}));
	job->bytes = (double)BUFFERS * n * sizeof(*buffer[0]);

	TRY(job_fetch(job, host, buffer[BUFFERS - 1], n));
	for (int b = 0; job->good && b < BUFFERS; b++)
		TRY(cudaFree(buffer[b]));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i], mix_rounds(
		    seeded(job->seed + BUFFERS - 1, i), ROUNDS));
	}
	return 0;
}
