/*
 * Launch whole waves.
 *
 * Chains of equal length are shared among warps. A sixteenth more blocks than
 * reside on the GPU at once (bad): those few wait until the first have ended,
 * and then run almost alone, for as long again. Or exactly as many blocks as
 * reside (good), each of whose warps has 17 chains instead of 16.
 *
 * The only difference is how many chains a warp takes, and with it the grid.
 *
 * Rule: tail-effect. Metric that moves: waves, 1.06 against 1.
 *
 *   cudadvise run cudadvise-kernels tail-effect --variant bad
 *   ncu --section LaunchStats cudadvise-kernels tail-effect --variant bad --once
 *
 * --size: blocks of the good variant (default: a full wave).
 */
#include "chase.h"
#include "pairs.h"

#define STEPS 64
#define THREADS 256
#define WARPS (THREADS / CHASE_LANES)
#define BAD_CHAINS 16		/* a warp's */

__global__ static void
some_chains_each(const uint32_t *__restrict__ table,
    uint32_t *__restrict__ out, size_t chains, int each, uint64_t seed)
{
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	size_t first = t / CHASE_LANES * each;

#pragma unroll 1
	for (int c = 0; c < each && first + c < chains; c++) {
		size_t chain = first + c;

		out[chain * CHASE_LANES + t % CHASE_LANES] =
		    (uint32_t)(t % CHASE_LANES) +
		    chase(table, chase_start(seed, chain), STEPS);
	}
}

int
pair_tail_effect(struct job *job)
{
	int each = job->good ? BAD_CHAINS + 1 : BAD_CHAINS;
	uint32_t *table, *out, *host;
	size_t chains, n, a_block;
	unsigned blocks;

	TRY(job_wave(job, &blocks, some_chains_each, THREADS, 0));
	if (job->size)
		blocks = (unsigned)job->size;
	chains = (size_t)blocks * WARPS * (BAD_CHAINS + 1);
	a_block = (size_t)WARPS * each;
	blocks = (unsigned)((chains + a_block - 1) / a_block);
	n = chains * CHASE_LANES;
	TRY(job_output(job, &out, &host, n));
	TRY(chase_table(job, &table));

	TRY(job_measure(job, 400, [&] {
		some_chains_each<<<blocks, THREADS, 0, job->stream>>>(table,
		    out, chains, each, job->seed);
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
