/*
 * Request the shared memory that is used, not all there is.
 *
 * Each block keeps a table of 256 weights in shared memory, and each of its
 * warps follows a chain through global memory: latency-bound work, that more
 * resident warps make faster. The launch asks for half of a multiprocessor's
 * shared memory for each block (bad), so that only two blocks reside; or for
 * the kilobyte that the table needs (good), so that all warp slots are in use.
 *
 * The only difference is the third launch parameter.
 *
 * Rule: low-theoretical-occupancy. Metric that moves: theoretical occupancy,
 * 25 % against 100 % (H200).
 *
 *   cudadvise run cudadvise-kernels low-theoretical-occupancy --variant bad
 *   ncu --section Occupancy \
 *     cudadvise-kernels low-theoretical-occupancy --variant bad --once
 *
 * --size: blocks (default: a full wave of the good variant).
 */
#include "chase.h"
#include "pairs.h"

#define STEPS 1024
#define THREADS 256
#define WEIGHTS 256

__global__ static void
weigh_chains(const uint32_t *__restrict__ table,
    const float *__restrict__ weights, float *__restrict__ out, uint64_t seed)
{
	extern __shared__ float weight[];
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t line = chase_start(seed, t / CHASE_LANES);
	float sum = 0;

	weight[threadIdx.x] = weights[threadIdx.x];
	__syncthreads();
#pragma unroll 1
	for (int s = 0; s < STEPS; s++) {
		line = chase(table, line, 1);
		sum += weight[line % WEIGHTS];
	}
	out[t] = sum;
}

PAIR(low_theoretical_occupancy, "request the shared memory that is used, not all there is",
    "theoretical occupancy")
{
	size_t per_sm = job->gpu.sharedMemPerMultiprocessor;
	size_t shared = WEIGHTS * sizeof(float), n;
	float *weights, *out, *host;
	uint32_t *table;
	unsigned blocks;

	TRY(job_wave(job, &blocks, weigh_chains, THREADS, shared));
	if (job->size)
		blocks = (unsigned)job->size;
	if (!job->good) {
		shared = per_sm / 2 - job->gpu.reservedSharedMemPerBlock;
		if (shared > job->gpu.sharedMemPerBlockOptin)
			shared = job->gpu.sharedMemPerBlockOptin;
		TRY(cudaFuncSetAttribute(weigh_chains,
		    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
	}
	n = (size_t)blocks * THREADS;
	TRY(job_device(job, &weights, WEIGHTS));
	TRY(job_output(job, &out, &host, n));
	TRY(chase_table(job, &table));
	TRY(fill_floats(job, weights, WEIGHTS, job->seed));

	TRY(job_measure(job, 200, [&] {
		weigh_chains<<<blocks, THREADS, shared, job->stream>>>(table,
		    weights, out, job->seed);
		return cudaGetLastError();
	}));
	job->bytes = (double)n * STEPS * sizeof(*table);

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t line = chase_start(job->seed, i / CHASE_LANES);
		double want = 0;

		for (int k = 0; k < STEPS; k++) {
			line = chase_next(line);
			want += seeded_float(job->seed, line % WEIGHTS);
		}
		check_float(job, i, host[i], want, 1e-3);
	}
	return 0;
}
