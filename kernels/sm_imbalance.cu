/*
 * Deal rows of different length out evenly.
 *
 * Row r of a triangle takes r units of work, and each block takes as many rows
 * as any other. Either a block's rows are next to each other (bad), so that the
 * first block has the shortest of all and the last one the longest; or a block
 * takes every n-th row (good), short ones and long ones.
 *
 * The only difference is which rows a block takes.
 *
 * Rule: sm-imbalance. Metric that moves: active cycles of the mean SM, half of
 * the busiest one's against nearly all.
 *
 *   cudadvise run cudadvise-kernels sm-imbalance --variant bad
 *   ncu --section WorkloadDistribution \
 *     cudadvise-kernels sm-imbalance --variant bad --once
 *
 * --size: blocks (default: one for each multiprocessor).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 1024
#define ROWS 32			/* of a block */
#define UNIT 16			/* rounds */
#define ROWS_A_UNIT 64		/* so many rows on, one unit more */

static __host__ __device__ inline uint32_t
work_of(uint32_t h, uint32_t row)
{
	uint32_t units = 1 + row / ROWS_A_UNIT;

	h ^= row;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
	for (uint32_t u = 0; u < units; u++)
		h = mix_rounds(h, UNIT);
	return h;
}

template<bool BY_STRIDE>
__global__ static void __launch_bounds__(THREADS)
mix_rows(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
	uint32_t h = in[threadIdx.x];

#pragma unroll 1
	for (unsigned r = 0; r < ROWS; r++) {
		unsigned row = BY_STRIDE ? r * gridDim.x + blockIdx.x :
		    blockIdx.x * ROWS + r;

		out[(size_t)row * THREADS + threadIdx.x] = work_of(h, row);
	}
}

PAIR(sm_imbalance, "deal rows of different length out evenly",
    "active cycles of the mean SM over those of the busiest")
{
	auto kernel = job->good ? mix_rows<true> : mix_rows<false>;
	uint32_t *in, *out, *host;
	unsigned blocks = job->size ? (unsigned)job->size :
	    (unsigned)job->gpu.multiProcessorCount;
	size_t n = (size_t)blocks * ROWS * THREADS;

	TRY(job_device(job, &in, THREADS));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, THREADS, job->seed));

	TRY(job_measure(job, 600, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out);
		return cudaGetLastError();
	}));
	job->operations = (double)n * UNIT *
	    (1 + (double)blocks * ROWS / 2 / ROWS_A_UNIT);

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i], work_of(seeded(job->seed,
		    i % THREADS), (uint32_t)(i / THREADS)));
	}
	return 0;
}
