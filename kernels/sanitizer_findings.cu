/*
 * Read what is there, what was written, and after it was written.
 *
 * Each block takes a tile of the array into shared memory, with the element
 * behind each, and reads the tile from its other end. The bad variant makes
 * three mistakes: the last thread of all reads one element past the end of the
 * array; no barrier stands between writing the tile and reading it; and of the
 * values that are mixed in only the first quarter was ever written, because
 * cudaMemset counts bytes, not words. None of them shows: cudaMalloc rounds up, so
 * that the element past the end lies in memory of the program, and an argument of
 * the kernel masks out the values that are read wrongly. The result
 * is right. The good variant compares with the length, has the barrier, and sets
 * all of the memory.
 *
 * The only difference is these three mistakes.
 *
 * Rule: sanitizer-findings. Metric that moves: reports of compute-sanitizer, one
 * each by memcheck, racecheck and initcheck, against none.
 *
 *   cudadvise sanitize cudadvise-kernels sanitizer-findings --variant bad --once
 *   compute-sanitizer --tool racecheck \
 *     cudadvise-kernels sanitizer-findings --variant bad --once
 *
 * --size: elements (default: 64 Ki less 3; one too many when it is a multiple of
 * 128, the unit that cudaMalloc rounds up to). Under the tools a launch takes
 * many times as long, so it is short.
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define ROUNDS 64
#define ROUNDED 128		/* words: 512 bytes */

template<bool GOOD>
__global__ static void
mix_tiles(const uint32_t *in, const uint32_t *more, uint32_t *out, size_t n,
    uint32_t mask)
{
	__shared__ uint32_t tile[THREADS];
	unsigned t = threadIdx.x;
	size_t i = (size_t)blockIdx.x * THREADS + t;
	uint32_t behind = 0, across;

	if (i < n && (!GOOD || i + 1 < n))
		behind = in[i + 1]; /* HERE */
	tile[t] = i < n ? mix_rounds(in[i], ROUNDS) : 0; /* HERE */
	if (GOOD)
		__syncthreads();
	across = tile[THREADS - 1 - t]; /* HERE */
	if (i < n)
		out[i] = tile[t] ^ /* HERE */
		    ((behind ^ across ^ more[i]) & mask); /* HERE */
}

PAIR(sanitizer_findings, "read what is there, what was written, and after it was written",
    "reports of compute-sanitizer")
{
	auto kernel = job->good ? mix_tiles<true> : mix_tiles<false>;
	size_t n = job->size ? job->size : ((size_t)1 << 16) - 3;
	unsigned blocks;
	uint32_t *in, *more, *out, *host;

	n -= n > 1 && n % ROUNDED == 0;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_device(job, &more, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));
	TRY(cudaMemsetAsync(more, 0, job->good ? n * sizeof(*more) : n,
	    job->stream));

	TRY(job_measure(job, 200, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, more, out, n,
		    0);
		return cudaGetLastError();
	}));
	job->bytes = 3.0 * n * sizeof(*in);

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i],
		    mix_rounds(seeded(job->seed, i), ROUNDS));
	}
	return 0;
}
