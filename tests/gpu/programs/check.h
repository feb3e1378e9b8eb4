/*
 * check.h: for the target programs of the GPU tests. They print what they
 * compute to stdout, so that a run under cudadvise can be compared with one
 * without; whatever differs between two runs goes to stderr.
 */
#ifndef CHECK_H
#define CHECK_H

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SKIP 77			/* exit status: no GPU to run on */

#define CHECK(call) do {						\
	cudaError_t check_ = (call);					\
	if (check_ != cudaSuccess) {					\
		fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__,	\
		    #call, cudaGetErrorString(check_));			\
		exit(1);						\
	}								\
} while (0)

static inline void
need_gpu(void)
{
	int n = 0;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (e == cudaSuccess && n > 0)
		return;
	fprintf(stderr, "skipped: no GPU: %s\n", cudaGetErrorString(e));
	exit(SKIP);
}

/* A positive number from the command line, or its default. */
static inline long
argument(int argc, char **argv, int i, long otherwise)
{
	long v = i < argc ? strtol(argv[i], NULL, 10) : otherwise;

	if (v > 0)
		return v;
	fprintf(stderr, "usage: %s [NUMBER]...\n", argv[0]);
	exit(2);
}

/* Integer arithmetic with the same result on every device. */
static __host__ __device__ inline uint32_t
stir(uint32_t h)
{
	return (h ^ (h >> 15)) * 0x2c1b3c6du + 0x9e3779b9u;
}

static __global__ void
stir_all(uint32_t *v, int n, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		for (int r = 0; r < rounds; r++)
			v[i] = stir(v[i] + i);
}

/* A number that depends on all of ${v}. */
static inline uint32_t
digest(const uint32_t *v, int n)
{
	uint32_t h = 1;

	for (int i = 0; i < n; i++)
		h = stir(h ^ v[i]);
	return h;
}

static __device__ inline uint64_t
now_ns(void)
{
	uint64_t ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

/* Runs for ${ns}, and changes ${out}. */
static __global__ void
spin(uint64_t ns, uint32_t *out)
{
	uint64_t begin = now_ns();

	while (now_ns() - begin < ns)
		;
	*out = stir(*out + 1);
}

#define MS 1000000ull

#define WORDS 65536

/* Launches ${launches} kernels on ${stream} that start from zeros; returns the
 * digest. */
static inline uint32_t
work(cudaStream_t stream, int launches)
{
	uint32_t *device, *host = (uint32_t *)malloc(WORDS * sizeof(*host)), h;

	if (!host)
		abort();
	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	CHECK(cudaMemsetAsync(device, 0, WORDS * sizeof(*device), stream));
	for (int i = 0; i < launches; i++) {
		stir_all<<<WORDS / 256, 256, 0, stream>>>(device, WORDS, 16);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemcpyAsync(host, device, WORDS * sizeof(*host),
	    cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(device));
	h = digest(host, WORDS);
	free(host);
	return h;
}

#endif
