/*
 * Keep the hot code small.
 *
 * Each warp stirs its words in 32 ways, 200 rounds each, twice; each warp
 * begins with another way, as warps that work on different data do. With all
 * rounds unrolled (bad) the ways are 32 stretches of code of 9 KiB each, more
 * than the instruction caches hold; with four rounds per iteration (good) they
 * are 32 short loops.
 *
 * The only difference is the pragma.
 *
 * Rule: instruction-cache-misses. Metric that moves: stalls no_instruction.
 *
 *   cudadvise run --level source cudadvise-kernels instruction-cache-misses \
 *     --variant bad
 *   ncu --section WarpStateStats --section InstructionStats \
 *     cudadvise-kernels instruction-cache-misses --variant bad --once
 *
 * --size: words (default: half a wave of threads, so that few other warps can
 * issue while one waits).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define WAYS 32
#define ROUNDS 200		/* three instructions each */
#define TURNS 2			/* through all ways */

/* Round ${i} of a way; each has a number of its own, that a loop adds up. */
static __host__ __device__ inline uint32_t
stir_once(uint32_t h, uint32_t number)
{
	return (h ^ (h >> 15)) * 0x2c1b3c6du + number;
}

/* Where the warp of word ${i} begins. */
static __host__ __device__ inline unsigned
first_way(uint64_t i)
{
	return seeded(0, i / 32) % WAYS;
}

template<int UNROLL, uint32_t WAY>
static __device__ inline uint32_t
stir_way(uint32_t h)
{
	uint32_t number = WAY * 0x9e3779b9u + 1;

#pragma unroll (UNROLL)
	for (int i = 0; i < ROUNDS; i++, number += 0x85ebca6bu) /* HERE */
		h = stir_once(h, number); /* HERE */
	return h;
}

template<int UNROLL>
static __device__ __forceinline__ uint32_t
stir(uint32_t h, unsigned way)
{
#define WAY(n) case n: return stir_way<UNROLL, n>(h); /* HERE */
	switch (way) {
	WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7) /* HERE */
	WAY(8) WAY(9) WAY(10) WAY(11) WAY(12) WAY(13) WAY(14) WAY(15) /* HERE */
	WAY(16) WAY(17) WAY(18) WAY(19) WAY(20) WAY(21) WAY(22) /* HERE */
	WAY(23) WAY(24) WAY(25) WAY(26) WAY(27) WAY(28) WAY(29) /* HERE */
	WAY(30) /* HERE */
	default: return stir_way<UNROLL, WAYS - 1>(h); /* HERE */
	}
#undef WAY
}

template<int UNROLL>
__global__ static void
stir_all(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	unsigned first = first_way(i);
	uint32_t h;

	if (i >= n)
		return;
	h = in[i];
#pragma unroll 1
	for (unsigned k = 0; k < TURNS * WAYS; k++)
		h = stir<UNROLL>(h, (first + k) % WAYS); /* HERE */
	out[i] = h;
}

static uint32_t
stirred(uint32_t h, uint64_t i)
{
	unsigned first = first_way(i);

	for (unsigned k = 0; k < TURNS * WAYS; k++) {
		uint32_t number = (first + k) % WAYS * 0x9e3779b9u + 1;

		for (int r = 0; r < ROUNDS; r++, number += 0x85ebca6bu)
			h = stir_once(h, number);
	}
	return h;
}

PAIR(instruction_cache_misses, "keep the hot code small",
    "stalls for instructions, bytes of hot code")
{
	auto kernel = job->good ? stir_all<4> : stir_all<ROUNDS>;
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, stir_all<4>, THREADS, 0));
	n = job->size ? job->size : (size_t)((blocks + 1) / 2) * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 300, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out, n);
		return cudaGetLastError();
	}));
	job->operations = (double)TURNS * WAYS * ROUNDS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i],
		    stirred(seeded(job->seed, i), i));
	}
	return 0;
}
