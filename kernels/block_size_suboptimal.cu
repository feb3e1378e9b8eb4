/*
 * One warp a block leaves half of the warp slots empty.
 *
 * A multiprocessor holds at most 32 blocks (fewer on some chips) and 64 warps.
 * The same chains, one a warp, in blocks of one warp (bad) fill half of the
 * slots; in blocks of eight (good) they fill all.
 *
 * The only difference is the block size.
 *
 * Rule: block-size-suboptimal. Metric that moves: theoretical occupancy, 50 %
 * against 100 %.
 *
 *   cudadvise run cudadvise-kernels block-size-suboptimal --variant bad
 *   ncu --section Occupancy \
 *     cudadvise-kernels block-size-suboptimal --variant bad --once
 *
 * --size: chains (default: a full wave of warps).
 */
#include "chase.h"
#include "pairs.h"

#define STEPS 1024
#define GOOD_THREADS 256

__global__ static void
one_chain_each(const uint32_t *__restrict__ table, uint32_t *__restrict__ out,
    size_t chains, uint64_t seed)
{
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	size_t chain = t / CHASE_LANES;

	if (chain < chains)
		out[t] = (uint32_t)(t % CHASE_LANES) +
		    chase(table, chase_start(seed, chain), STEPS);
}

PAIR(block_size_suboptimal, "one warp a block leaves half of the warp slots empty",
    "theoretical occupancy")
{
	unsigned threads = job->good ? GOOD_THREADS : CHASE_LANES;
	uint32_t *table, *out, *host;
	size_t chains, n;
	unsigned blocks;

	TRY(job_wave(job, &blocks, one_chain_each, GOOD_THREADS, 0));
	chains = job->size ? job->size :
	    (size_t)blocks * GOOD_THREADS / CHASE_LANES;
	n = chains * CHASE_LANES;
	blocks = (unsigned)((n + threads - 1) / threads);
	TRY(job_output(job, &out, &host, n));
	TRY(chase_table(job, &table));

	TRY(job_measure(job, 300, [&] {
		one_chain_each<<<blocks, threads, 0, job->stream>>>(table, out,
		    chains, job->seed);
		return cudaGetLastError();
	}));
	job->bytes = (double)n * STEPS * sizeof(*table);

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n), chain = i / CHASE_LANES;

		check_word(job, i, host[i], (uint32_t)(i % CHASE_LANES) +
		    chase_host(chase_start(job->seed, chain), STEPS));
	}
	return 0;
}
