/*
 * Launch the blocks that fit, and let each thread take many elements.
 *
 * Makes a bitmap of the numbers that have a property; testing one takes a few
 * instructions. Each thread tests one number and ends (bad): two million blocks
 * are started for it, and each thread computes the index of its number anew. Or
 * one wave of blocks goes over all numbers in a grid-stride loop (good).
 *
 * The only difference is the grid: the loop is in both variants, and runs but
 * once in the bad one.
 *
 * Rule: too-many-blocks-little-work. Metric that moves: waves, about 1000
 * against 1; executed instructions.
 *
 *   cudadvise run cudadvise-kernels too-many-blocks-little-work --variant bad
 *   ncu --section LaunchStats --section InstructionStats \
 *     cudadvise-kernels too-many-blocks-little-work --variant bad --once
 *
 * --size: numbers (default: 2^28).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 128
#define LANES 32

static __host__ __device__ inline bool
is_chosen(uint32_t seed, uint32_t number)
{
	return mix(number ^ seed) % 4 == 0;
}

__global__ static void __launch_bounds__(THREADS)
choose(uint32_t *__restrict__ bitmap, size_t n, uint32_t seed)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	/* n is a multiple of 32: all lanes of a warp have a number, or none. */
#pragma unroll 4
	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step) {
		/* All lanes store the warp's word: a branch for the first lane
		 * would cost more than the 31 superfluous stores. */
		bitmap[i / LANES] = __ballot_sync(0xffffffffu,
		    is_chosen(seed, (uint32_t)i));
	}
}

PAIR(too_many_blocks_little_work, "launch the blocks that fit, and let each thread take many elements",
    "waves, executed instructions")
{
	size_t n = (job->size ? job->size : (size_t)1 << 28) / LANES * LANES;
	uint32_t *bitmap, *host, seed = seeded(job->seed, 0);
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	unsigned wave;

	TRY(job_wave(job, &wave, choose, THREADS, 0));
	if (job->good && blocks > wave)
		blocks = wave;
	TRY(job_output(job, &bitmap, &host, n / LANES));

	TRY(job_measure(job, 400, [&] {
		choose<<<blocks, THREADS, 0, job->stream>>>(bitmap, n, seed);
		return cudaGetLastError();
	}));
	job->operations = (double)n;

	TRY(job_fetch(job, host, bitmap, n / LANES));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t word = job_pick(job, s, n / LANES);
		uint32_t want = 0;

		for (int lane = 0; lane < LANES; lane++)
			want |= (uint32_t)is_chosen(seed,
			    (uint32_t)(word * LANES + lane)) << lane;
		check_word(job, word, host[word], want);
	}
	return 0;
}
