/*
 * Reserve no more shared memory than is used.
 *
 * Each block hashes a table of its own, 64 KiB, many times over; L1 could hold
 * the tables of both blocks of an SM. But the program asked for as much shared
 * memory as there is, which leaves 28 KiB of L1 (on compute capability 9), and
 * the tables come from L2 every time (bad); or for as much L1 as there is
 * (good). The kernel uses no shared memory.
 *
 * The only difference is the carve-out that is asked for.
 *
 * Rule: cache-config-mismatch. Metric that moves: the hit rate of L1; sectors
 * that L1 asks L2 for.
 *
 *   cudadvise run cudadvise-kernels cache-config-mismatch --variant bad
 *   ncu --metrics l1tex__t_sector_hit_rate.pct,\
 *     lts__t_sectors_srcunit_tex.sum,launch__shared_mem_config_size \
 *     cudadvise-kernels cache-config-mismatch --variant bad --once
 *
 * --size: blocks (default: a full wave).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 1024
#define STEPS 4			/* of 16 KiB: a block's table */
#define PASSES 256

static __host__ __device__ inline uint32_t
hash_four(uint4 v, uint32_t key)
{
	return mix(v.x ^ v.y ^ v.z ^ v.w ^ key);
}

__global__ static void __launch_bounds__(THREADS, 2)
hash_own_table(const uint4 *__restrict__ table, uint32_t *__restrict__ out)
{
	const uint4 *own = table + (size_t)blockIdx.x * STEPS * THREADS;
	uint32_t sum = 0;

#pragma unroll 1
	for (uint32_t pass = 0; pass < PASSES; pass++) {
		/* Another warp's words each time: none stays in a register. */
		unsigned at = threadIdx.x ^ (pass * 32 % THREADS);

#pragma unroll
		for (unsigned k = 0; k < STEPS; k++)
			sum += hash_four(own[k * THREADS + at], pass); /* HERE */
	}
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

PAIR(cache_config_mismatch, "reserve no more shared memory than is used",
    "hit rate of L1")
{
	uint32_t *table, *out, *host;
	unsigned blocks;
	size_t n, words;

	TRY(cudaFuncSetAttribute(hash_own_table,
	    cudaFuncAttributePreferredSharedMemoryCarveout, job->good ?
	    cudaSharedmemCarveoutMaxL1 : cudaSharedmemCarveoutMaxShared));
	TRY(job_wave(job, &blocks, hash_own_table, THREADS, 0));
	if (job->size)
		blocks = (unsigned)job->size;
	n = (size_t)blocks * THREADS;
	words = n * STEPS * 4;
	TRY(job_device(job, &table, words));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, table, words, job->seed));

	TRY(job_measure(job, 600, [&] {
		hash_own_table<<<blocks, THREADS, 0, job->stream>>>(
		    (const uint4 *)table, out);
		return cudaGetLastError();
	}));
	job->bytes = (double)words * sizeof(*table) * PASSES;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n), block = i / THREADS;
		uint32_t want = 0;

		for (uint32_t pass = 0; pass < PASSES; pass++)
			for (uint64_t k = 0; k < STEPS; k++) {
				uint64_t at = (i % THREADS) ^
				    (pass * 32 % THREADS);
				uint64_t w = ((block * STEPS + k) * THREADS +
				    at) * 4;

				want += hash_four(make_uint4(
				    seeded(job->seed, w),
				    seeded(job->seed, w + 1),
				    seeded(job->seed, w + 2),
				    seeded(job->seed, w + 3)), pass);
			}
		check_word(job, i, host[i], want);
	}
	return 0;
}
