/*
 * Copy to the GPU what kernels read more than once.
 *
 * Launch after launch hashes the same 96 MiB. They lie in the host's memory and
 * every launch reads them across the link (bad); or they were copied to the
 * GPU's memory once, before the first launch (good).
 *
 * The only difference is where the data lie.
 *
 * Rule: host-memory-access. Metric that moves: L2 sectors of host memory, three
 * million a launch against next to none.
 *
 *   cudadvise run cudadvise-kernels host-memory-access --variant bad
 *   ncu --metrics lts__t_sectors_aperture_sysmem.sum,lts__t_sectors.sum \
 *     cudadvise-kernels host-memory-access --variant bad --once
 *
 * --size: words (default 24 Mi).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define ROUNDS 32

__global__ static void
hash_words(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
    unsigned n)
{
	unsigned first = blockIdx.x * THREADS + threadIdx.x;
	uint32_t sum = 0;

	for (unsigned i = first; i < n; i += gridDim.x * THREADS)
		sum += mix_rounds(in[i], ROUNDS); /* HERE */
	out[first] = sum;
}

PAIR(host_memory_access, "copy to the GPU what kernels read more than once",
    "L2 sectors of host memory")
{
	size_t n = job->size ? job->size : (size_t)24 << 20;
	uint32_t *words, *out, *host;
	unsigned blocks, threads;

	TRY(job_wave(job, &blocks, hash_words, THREADS, 0));
	threads = blocks * THREADS;
	TRY(job_pinned(job, &words, n));
	TRY(job_output(job, &out, &host, threads));
	TRY(fill_words(job, words, n, job->seed));
	if (job->good) {
		uint32_t *near;

		TRY(job_device(job, &near, n));
		TRY(cudaMemcpyAsync(near, words, n * sizeof(*words),
		    cudaMemcpyHostToDevice, job->stream));
		words = near;
	}

	TRY(job_measure(job, 200, [&] {
		hash_words<<<blocks, THREADS, 0, job->stream>>>(words, out,
		    (unsigned)n);
		return cudaGetLastError();
	}));
	job->bytes = (double)n * sizeof(*words);

	TRY(job_fetch(job, host, out, threads));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, threads);
		uint32_t want = 0;

		for (uint64_t k = i; k < n; k += threads)
			want += mix_rounds(seeded(job->seed, k), ROUNDS);
		check_word(job, i, host[i], want);
	}
	return 0;
}
