/*
 * Let blocks that run together read the same data at the same time.
 *
 * Each piece of a table, which is six times as large as L2, is read by 33 blocks
 * (on an H200). Each block goes through its pieces in an order of its own (bad):
 * all of the table is in use at any time, and L2 loses each piece before the
 * next block comes by. Or all go through them in one order (good): the first to
 * come brings a piece into L2, and the others find it there.
 *
 * The only difference is the order. The sums do not depend on it.
 *
 * Rule: l2-thrash. Metric that moves: bytes read from DRAM, the table for each
 * reader against the table once or twice.
 *
 *   cudadvise run cudadvise-kernels l2-thrash --variant bad
 *   ncu --metrics dram__bytes_read.sum,lts__t_sector_hit_rate.pct \
 *     cudadvise-kernels l2-thrash --variant bad --once
 *
 * --size: MiB of the table (default: six times this GPU's L2).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 1024
#define STEP_WORDS (THREADS * 4)	/* a piece: what a block reads at once */
#define PARTS 8			/* of the table; a block reads one */
#define ROUNDS 2
#define SAMPLES 512

static __host__ __device__ inline uint32_t
hash_four(uint4 v, uint32_t key)
{
	return mix_rounds(v.x ^ key, ROUNDS) + mix_rounds(v.y ^ key, ROUNDS) +
	    mix_rounds(v.z ^ key, ROUNDS) + mix_rounds(v.w ^ key, ROUNDS);
}

/* Parts are assigned to both halves of the grid in the same way: the two blocks
 * of an SM have the same part. */
static __host__ __device__ inline unsigned
part_of(unsigned block, unsigned blocks)
{
	unsigned half = (blocks + 1) / 2;

	return block % half * PARTS / half;
}

/* ${steps} is prime: with any stride below it each piece is read once. */
__global__ static void __launch_bounds__(THREADS, 2)
hash_table(const uint4 *__restrict__ table, uint32_t *__restrict__ out,
    unsigned steps, bool together)
{
	unsigned stride = together ? 1 : 1 + seeded(0, blockIdx.x) %
	    (steps - 1);
	unsigned part = part_of(blockIdx.x, gridDim.x), t = 0;
	uint32_t sum = 0;

#pragma unroll 4
	for (unsigned k = 0; k < steps; k++) {
		const uint4 *piece = table + ((size_t)t * PARTS + part) *
		    THREADS;

		sum += hash_four(piece[threadIdx.x], blockIdx.x); /* HERE */
		t += stride;
		t -= t >= steps ? steps : 0;
	}
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

static bool
is_prime(unsigned n)
{
	for (unsigned k = 2; k * k <= n; k++)
		if (n % k == 0)
			return false;
	return n > 1;
}

PAIR(l2_thrash, "let blocks that run together read the same data at the same time",
    "bytes read from DRAM")
{
	size_t bytes = job->size ? job->size << 20 :
	    (size_t)job->gpu.l2CacheSize * 6;
	uint32_t *table, *out, *host;
	unsigned blocks, steps;
	size_t n, words;

	steps = (unsigned)(bytes / sizeof(*table) / STEP_WORDS / PARTS);
	while (steps > 2 && !is_prime(steps))
		steps--;
	steps = steps > 2 ? steps : 2;
	words = (size_t)steps * PARTS * STEP_WORDS;
	TRY(job_wave(job, &blocks, hash_table, THREADS, 0));
	n = (size_t)blocks * THREADS;
	TRY(job_device(job, &table, words));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, table, words, job->seed));

	TRY(job_measure(job, 150, [&] {
		hash_table<<<blocks, THREADS, 0, job->stream>>>(
		    (const uint4 *)table, out, steps, job->good);
		return cudaGetLastError();
	}));
	job->bytes = (double)blocks * steps * STEP_WORDS * sizeof(*table);

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n), lane = i % THREADS;
		unsigned block = (unsigned)(i / THREADS);
		unsigned part = part_of(block, blocks);
		uint32_t want = 0;

		for (uint64_t k = 0; k < steps; k++) {
			uint64_t w = (k * PARTS + part) * STEP_WORDS + lane * 4;

			want += hash_four(make_uint4(seeded(job->seed, w),
			    seeded(job->seed, w + 1), seeded(job->seed, w + 2),
			    seeded(job->seed, w + 3)), block);
		}
		check_word(job, i, host[i], want);
	}
	return 0;
}
