/*
 * Ask for the shared memory that a launch needs.
 *
 * Each step mixes all words, by way of tiles of 96 KiB in dynamic shared memory.
 * A kernel may have 48 KiB unless the program asks for more: without that (bad)
 * each launch fails, the program sees it and launches again with tiles of 24 KiB;
 * after cudaFuncSetAttribute (good) the first launch succeeds.
 *
 * The only difference is cudaFuncSetAttribute.
 *
 * Rule: launch-failures. Metric that moves: launches that failed.
 *
 *   cudadvise run cudadvise-kernels launch-failures --variant bad
 *   compute-sanitizer --report-api-errors all \
 *     cudadvise-kernels launch-failures --variant bad --once
 *
 * --size: words (default: four large tiles a block, two blocks on each
 * multiprocessor).
 * --repeat: twenties of steps (default 40).
 */
#include "harness.h"
#include "pairs.h"

#define LARGE (96 << 10)	/* bytes of a tile */
#define SMALL (24 << 10)
#define THREADS 512
#define ROUNDS 256
#define STEPS 20		/* between two timing marks */

__global__ static void
mix_tiles(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
    size_t n, unsigned words)
{
	extern __shared__ uint32_t tile[];

	for (size_t from = (size_t)blockIdx.x * words; from < n;
	    from += (size_t)gridDim.x * words) {
		for (unsigned i = threadIdx.x; i < words; i += THREADS)
			tile[i] = from + i < n ? in[from + i] : 0;
		__syncthreads();
		for (unsigned i = threadIdx.x; i < words; i += THREADS)
			if (from + i < n)
				out[from + i] = mix_rounds(tile[i], ROUNDS);
		__syncthreads();
	}
}

PAIR(launch_failures, "ask for the shared memory that a launch needs",
    "launches that failed")
{
	unsigned blocks = (unsigned)job->gpu.multiProcessorCount * 2;
	size_t n = job->size ? job->size :
	    (size_t)blocks * (LARGE / sizeof(uint32_t)) * 4;
	uint32_t *in, *out, *host;

	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));
	if (job->good)
		TRY(cudaFuncSetAttribute(mix_tiles,
		    cudaFuncAttributeMaxDynamicSharedMemorySize, LARGE));

	TRY(job_measure(job, 40, [&] {
		cudaError_t e = cudaSuccess;

		for (int k = 0; e == cudaSuccess && k < STEPS; k++) {
			mix_tiles<<<blocks, THREADS, LARGE, job->stream>>>(in,
			    out, n, LARGE / sizeof(uint32_t));
			e = cudaGetLastError();
			if (e == cudaSuccess || job->good)
				continue;
			mix_tiles<<<blocks, THREADS, SMALL, job->stream>>>(in,
			    out, n, SMALL / sizeof(uint32_t));
			e = cudaGetLastError();
		}
		return e;
	}));
	job->operations = (double)STEPS * ROUNDS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i],
		    mix_rounds(seeded(job->seed, i), ROUNDS));
	}
	return 0;
}
