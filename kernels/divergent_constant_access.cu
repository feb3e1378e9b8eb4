/*
 * Constant memory is for what all lanes of a warp read alike.
 *
 * Each thread mixes its value with one word after another of a table, and each
 * lane begins at another word. The table lies in constant memory (bad), which
 * delivers one address at a time: 32 lanes, 32 passes. Or it lies in global
 * memory (good), where 32 neighbouring words are one access.
 *
 * The only difference is where the table lies.
 *
 * Rule: divergent-constant-access. Metric that moves: warps that wait for the
 * constant loads; the kernel's time.
 *
 *   cudadvise run --level source cudadvise-kernels \
 *     divergent-constant-access --variant bad
 *   ncu --section WarpStateStats --section SourceCounters \
 *     cudadvise-kernels divergent-constant-access --variant bad --once
 *
 * --size: values (default: four full waves of threads).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define WAVES 4
#define WORDS 1024		/* of the table */
#define TURNS 64
#define ROUNDS 4		/* for each word */

static __constant__ uint32_t constant_table[WORDS];

template<bool CONSTANT>
__global__ static void
stir_by_table(const uint32_t *__restrict__ table, uint32_t *__restrict__ out,
    unsigned n)
{
	unsigned i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t h = i;

	if (i >= n)
		return;
#pragma unroll 4
	for (unsigned t = 0; t < TURNS; t++) {
		unsigned at = (i + t * 32) % WORDS;

		h ^= CONSTANT ? constant_table[at] : table[at]; /* HERE */
		h = mix_rounds(h, ROUNDS);
	}
	out[i] = h;
}

PAIR(divergent_constant_access, "constant memory is for what all lanes of a warp read alike",
    "warps that wait for constant loads")
{
	auto kernel = job->good ? stir_by_table<false> : stir_by_table<true>;
	uint32_t *table, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * WAVES * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &table, WORDS));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, table, WORDS, job->seed));
	TRY(cudaMemcpyToSymbolAsync(constant_table, table,
	    sizeof(constant_table), 0, cudaMemcpyDeviceToDevice, job->stream));

	TRY(job_measure(job, 400, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(table, out,
		    (unsigned)n);
		return cudaGetLastError();
	}));
	job->operations = (double)n * TURNS * ROUNDS * 3;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t h = (uint32_t)i;

		for (uint64_t t = 0; t < TURNS; t++)
			h = mix_rounds(h ^ seeded(job->seed,
			    (i + t * 32) % WORDS), ROUNDS);
		check_word(job, i, host[i], h);
	}
	return 0;
}
