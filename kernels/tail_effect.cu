/*
 * Launch whole waves.
 *
 * Chains of equal length are shared among warps. A few more blocks than reside
 * on the GPU at once (bad): those few wait until the first have ended, and then
 * run almost alone, for as long again. Or exactly as many blocks as reside
 * (good), each of whose warps has 129 chains instead of 128.
 *
 * The only difference is how many chains a warp takes, and with it the grid.
 *
 * Rule: tail-effect. Metric that moves: waves, 1.01 against 1;
 * active cycles of the mean SM, half of the busiest one's against nearly all.
 *
 *   cudadvise run cudadvise-kernels tail-effect --variant bad
 *   ncu --section LaunchStats cudadvise-kernels tail-effect --variant bad --once
 *
 * --size: blocks of the good variant (default: a full wave).
 */
#include "chase.h"
#include "pairs.h"

#define STEPS 8
#define THREADS 256
#define WARPS (THREADS / CHASE_LANES)
#define BAD_CHAINS 128		/* a warp's */

__global__ static void
some_chains_each(const uint32_t *__restrict__ table,
    uint32_t *__restrict__ out, size_t chains, int each, uint64_t seed)
{
	size_t warp = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) /
	    CHASE_LANES;
	int lane = threadIdx.x % CHASE_LANES, n = each;
	size_t first = warp * each;
	uint32_t kept = 0;

	if (first >= chains)
		return;
	if (first + n > chains)
		n = (int)(chains - first);
	/* Each lane keeps one result of 32, then all are written at once. */
#pragma unroll 1
	for (int c = 0; c < n; c++) {
		uint32_t line = chase(table, chase_start(seed, first + c),
		    STEPS);

		if (c % CHASE_LANES == lane)
			kept = line;
		if ((c + 1) % CHASE_LANES == 0 || c + 1 == n) {
			int group = c - c % CHASE_LANES;

			if (group + lane < n)
				out[first + group + lane] = kept;
		}
	}
}

PAIR(tail_effect, "launch whole waves",
    "waves")
{
	int each = job->good ? BAD_CHAINS + 1 : BAD_CHAINS;
	uint32_t *table, *out, *host;
	size_t chains, a_block;
	unsigned blocks;

	TRY(job_wave(job, &blocks, some_chains_each, THREADS, 0));
	if (job->size)
		blocks = (unsigned)job->size;
	chains = (size_t)blocks * WARPS * (BAD_CHAINS + 1);
	a_block = (size_t)WARPS * each;
	blocks = (unsigned)((chains + a_block - 1) / a_block);
	TRY(job_output(job, &out, &host, chains));
	TRY(chase_table(job, &table));

	TRY(job_measure(job, 400, [&] {
		some_chains_each<<<blocks, THREADS, 0, job->stream>>>(table,
		    out, chains, each, job->seed);
		return cudaGetLastError();
	}));
	job->bytes = (double)chains * CHASE_LANES * STEPS * sizeof(*table);

	TRY(job_fetch(job, host, out, chains));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t chain = job_pick(job, s, chains);

		check_word(job, chain, host[chain],
		    chase_host(chase_start(job->seed, chain), STEPS));
	}
	return 0;
}
