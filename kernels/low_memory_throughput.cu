/*
 * Issue the next loads before this one's value is used.
 *
 * Each thread mixes the words of a column into its hash, one after the other, up
 * to a zero. One word per iteration makes each load wait for the test before it:
 * a warp has one load in flight (bad). With eight words loaded before the first
 * is used (good), the tests are of words that have arrived. The blocks
 * take so much shared memory that half of the warps fit, as those of kernels
 * with tiles do.
 *
 * The only difference is how many words are fetched at once.
 *
 * Rule: low-memory-throughput. Metric that moves: DRAM throughput, and the
 * share of stalls that wait for it.
 *
 *   cudadvise run cudadvise-kernels low-memory-throughput --variant bad
 *   ncu --section SpeedOfLight --section WarpStateStats \
 *     cudadvise-kernels low-memory-throughput --variant bad --once
 *
 * --size: words of a column, rounded up to a multiple of 8 (default 512).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 512
#define SHARED (100 << 10)	/* bytes of a block: two reside on an SM */
#define WAVES 4
#define ROUNDS 3		/* for each word */
#define AHEAD 8

template<int AT_ONCE>
__global__ static void
stir_columns(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
	unsigned i = blockIdx.x * THREADS + threadIdx.x;
	size_t columns = (size_t)gridDim.x * THREADS;
	const uint32_t *at = in + i;
	uint32_t h = i;

#pragma unroll 1
	for (;; at += AT_ONCE * columns) {
		uint32_t v[AT_ONCE];

#pragma unroll
		for (int k = 0; k < AT_ONCE; k++)
			v[k] = at[k * columns]; /* HERE */
#pragma unroll
		for (int k = 0; k < AT_ONCE; k++) {
			if (v[k] == 0)
				goto end;
			h = mix_rounds(h ^ v[k], ROUNDS);
		}
	}
end:
	out[i] = h;
}

PAIR(low_memory_throughput, "issue the next loads before this one's value is used",
    "DRAM throughput")
{
	auto kernel = job->good ? stir_columns<AHEAD> : stir_columns<1>;
	unsigned rows = job->size ? (unsigned)job->size : 512, blocks;
	uint32_t *in, *out, *host;
	size_t columns;

	rows = (rows + AHEAD - 1) / AHEAD * AHEAD;
	TRY(cudaFuncSetAttribute(kernel,
	    cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
	TRY(job_wave(job, &blocks, kernel, THREADS, SHARED));
	blocks *= WAVES;
	columns = (size_t)blocks * THREADS;
	TRY(job_device(job, &in, columns * (rows + AHEAD)));
	TRY(job_output(job, &out, &host, columns));
	TRY(fill_words(job, in, columns * rows, job->seed));
	TRY(cudaMemsetAsync(in + columns * rows, 0,
	    columns * AHEAD * sizeof(*in), job->stream));

	TRY(job_measure(job, 300, [&] {
		kernel<<<blocks, THREADS, SHARED, job->stream>>>(in, out);
		return cudaGetLastError();
	}));
	job->bytes = (rows + 2.0) * columns * sizeof(*in);

	TRY(job_fetch(job, host, out, columns));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, columns);
		uint32_t h = (uint32_t)i;

		for (uint64_t row = 0; row < rows; row++) {
			uint32_t v = seeded(job->seed, row * columns + i);

			if (v == 0)
				break;
			h = mix_rounds(h ^ v, ROUNDS);
		}
		check_word(job, i, host[i], h);
	}
	return 0;
}
