/*
 * Allocate once, before the loop.
 *
 * Each step needs 32 MiB of scratch memory. It is allocated and freed in each
 * step (bad), where cudaFree waits for the GPU and the GPU then for the next
 * cudaMalloc; or once before all steps (good).
 *
 * The only difference is where cudaMalloc and cudaFree are called.
 *
 * Rule: allocation-in-hot-path. Metric that moves: time in cudaMalloc and
 * cudaFree between launches.
 *
 *   cudadvise run cudadvise-kernels allocation-in-hot-path --variant bad
 *   nsys profile -t cuda cudadvise-kernels allocation-in-hot-path --variant bad
 *
 * --size: words of scratch memory (default: 8 Mi).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 64
#define THREADS 256
#define CHECKED 512

__global__ static void
mix_to_scratch(const uint32_t *__restrict__ state,
    uint32_t *__restrict__ scratch, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		scratch[i] = mix_rounds(state[i], ROUNDS);
}

/* Each element takes in its neighbour's: in place would be a race. */
__global__ static void
take_scratch(uint32_t *__restrict__ state,
    const uint32_t *__restrict__ scratch, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		state[i] ^= scratch[i ^ 1];
}

static cudaError_t
one_step(struct job *job, uint32_t *state, uint32_t *scratch, size_t n)
{
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	cudaError_t e;

	mix_to_scratch<<<blocks, THREADS, 0, job->stream>>>(state, scratch, n);
	e = cudaGetLastError();
	if (e != cudaSuccess)
		return e;
	take_scratch<<<blocks, THREADS, 0, job->stream>>>(state, scratch, n);
	return cudaGetLastError();
}

/* The same step with scratch memory of its own. */
static cudaError_t
one_step_allocating(struct job *job, uint32_t *state, size_t n)
{
	uint32_t *scratch = NULL;
	cudaError_t e = cudaMalloc(&scratch, n * sizeof(*scratch)), freed;

	if (e != cudaSuccess)
		return e;
	e = one_step(job, state, scratch, n);
	freed = cudaFree(scratch);
	return e != cudaSuccess ? e : freed;
}

PAIR(allocation_in_hot_path, "allocate once, before the loop",
    "time in cudaMalloc and cudaFree")
{
	size_t n = job->size ? job->size + job->size % 2 : (size_t)8 << 20;
	uint32_t *state, *host, *scratch = NULL;

	TRY(job_output(job, &state, &host, n));
	TRY(fill_words(job, state, n, job->seed));
	if (job->good)
		TRY(job_device(job, &scratch, n));

	TRY(job_measure(job, 1500, [&] {
		return job->good ? one_step(job, state, scratch, n) :
		    one_step_allocating(job, state, n);
	}));
	/* Read, written; both read, one written. */
	job->bytes = 5.0 * n * sizeof(*state);

	TRY(job_fetch(job, host, state, n));
	for (int s = 0; job->check && s < CHECKED; s++) {
		uint64_t i = job_pick(job, s, n) & ~(uint64_t)1;
		uint32_t a = seeded(job->seed, i);
		uint32_t b = seeded(job->seed, i + 1);

		for (int k = 0; k < job->calls; k++) {
			uint32_t old = a;

			a ^= mix_rounds(b, ROUNDS);
			b ^= mix_rounds(old, ROUNDS);
		}
		check_word(job, i, host[i], a);
		check_word(job, i + 1, host[i + 1], b);
	}
	return 0;
}
