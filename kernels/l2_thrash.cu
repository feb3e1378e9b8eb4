/*
 * Let blocks that run together read the same data at the same time.
 *
 * Every block hashes one table with a key of its own, and the table is four
 * times as large as L2. Each block begins at another place (bad): all of the
 * table is in use at any time, and L2 loses each piece before the next block
 * comes by. Or all begin at the start (good): the first to come brings a piece
 * into L2, and the others find it there.
 *
 * The only difference is where a block begins. The sums do not depend on it.
 *
 * Rule: l2-thrash. Metric that moves: bytes read from DRAM, the table for each
 * block against the table a few times.
 *
 *   cudadvise run cudadvise-kernels l2-thrash --variant bad
 *   ncu --metrics dram__bytes_read.sum,lts__t_sector_hit_rate.pct \
 *     cudadvise-kernels l2-thrash --variant bad --once
 *
 * --size: MiB of the table (default: four times this GPU's L2).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 1024
#define STEP_WORDS (THREADS * 4)	/* that a block reads at once */
#define ROUNDS 4
#define SAMPLES 128

static __host__ __device__ inline uint32_t
hash_four(uint4 v, uint32_t key)
{
	return mix_rounds(v.x ^ key, ROUNDS) + mix_rounds(v.y ^ key, ROUNDS) +
	    mix_rounds(v.z ^ key, ROUNDS) + mix_rounds(v.w ^ key, ROUNDS);
}

__global__ static void __launch_bounds__(THREADS, 2)
hash_table(const uint4 *__restrict__ table, uint32_t *__restrict__ out,
    unsigned steps, bool together)
{
	unsigned t = together ? 0 : (unsigned)((uint64_t)steps * blockIdx.x /
	    gridDim.x);
	uint32_t sum = 0;

#pragma unroll 4
	for (unsigned k = 0; k < steps; k++) {
		sum += hash_four(table[(size_t)t * THREADS + threadIdx.x],
		    blockIdx.x); /* HERE */
		t = t + 1 == steps ? 0 : t + 1;
	}
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

int
pair_l2_thrash(struct job *job)
{
	size_t bytes = job->size ? job->size << 20 :
	    (size_t)job->gpu.l2CacheSize * 4;
	unsigned blocks, steps;
	uint32_t *table, *out, *host;
	size_t n;

	steps = (unsigned)(bytes / sizeof(*table) / STEP_WORDS);
	TRY(job_wave(job, &blocks, hash_table, THREADS, 0));
	n = (size_t)blocks * THREADS;
	TRY(job_device(job, &table, (size_t)steps * STEP_WORDS));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, table, (size_t)steps * STEP_WORDS, job->seed));

	TRY(job_measure(job, 30, [&] {
		hash_table<<<blocks, THREADS, 0, job->stream>>>(
		    (const uint4 *)table, out, steps, job->good);
		return cudaGetLastError();
	}));
	job->bytes = (double)blocks * steps * STEP_WORDS * sizeof(*table);

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n), lane = i % THREADS;
		uint32_t want = 0;

		for (uint64_t k = 0; k < steps; k++) {
			uint64_t w = k * STEP_WORDS + lane * 4;

			want += hash_four(make_uint4(seeded(job->seed, w),
			    seeded(job->seed, w + 1), seeded(job->seed, w + 2),
			    seeded(job->seed, w + 3)), (uint32_t)(i / THREADS));
		}
		check_word(job, i, host[i], want);
	}
	return 0;
}
