/*
 * Share a block's work among its warps.
 *
 * Each block has as many chains to follow as it has warps. Its first warp
 * follows them all while the others have left (bad), or each warp follows one
 * (good).
 *
 * The only difference is who takes which chain.
 *
 * Rule: low-achieved-occupancy. Metric that moves: achieved occupancy, about
 * 13 % against nearly the theoretical 100 %.
 *
 *   cudadvise run cudadvise-kernels low-achieved-occupancy --variant bad
 *   ncu --metrics sm__warps_active.avg.pct_of_peak_sustained_active \
 *     cudadvise-kernels low-achieved-occupancy --variant bad --once
 *
 * --size: blocks (default: a full wave).
 */
#include "chase.h"
#include "pairs.h"

#define STEPS 512
#define THREADS 256
#define WARPS (THREADS / CHASE_LANES)

template<bool SHARED_OUT>
__global__ static void
follow_chains(const uint32_t *__restrict__ table, uint32_t *__restrict__ out,
    uint64_t seed)
{
	unsigned warp = threadIdx.x / CHASE_LANES;
	unsigned lane = threadIdx.x % CHASE_LANES;
	unsigned first = SHARED_OUT ? warp : 0;
	unsigned end = SHARED_OUT ? warp + 1 : warp == 0 ? WARPS : 0;

#pragma unroll 1
	for (unsigned c = first; c < end; c++) {
		size_t chain = (size_t)blockIdx.x * WARPS + c;

		out[chain * CHASE_LANES + lane] = lane +
		    chase(table, chase_start(seed, chain), STEPS);
	}
}

PAIR(low_achieved_occupancy, "share a block's work among its warps",
    "achieved occupancy")
{
	auto kernel = job->good ? follow_chains<true> : follow_chains<false>;
	uint32_t *table, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	if (job->size)
		blocks = (unsigned)job->size;
	n = (size_t)blocks * THREADS;
	TRY(job_output(job, &out, &host, n));
	TRY(chase_table(job, &table));

	TRY(job_measure(job, 200, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(table, out,
		    job->seed);
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
