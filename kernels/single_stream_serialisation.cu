/*
 * Give independent work streams of its own.
 *
 * Four kernels with 30 blocks each search different data: 100 of 132
 * multiprocessors have nothing to do. In one stream (bad) they run one after
 * another; in four (good) at once.
 *
 * The only difference is the number of streams.
 *
 * Rule: single-stream-serialisation. Metric that moves: kernels at once.
 *
 *   cudadvise run cudadvise-kernels single-stream-serialisation --variant bad
 *   nsys profile -t cuda \
 *     cudadvise-kernels single-stream-serialisation --variant bad
 *
 * --repeat: tens of rounds (default 80).
 */
#include "harness.h"
#include "pairs.h"

#define PARTS 4
#define BLOCKS 30
#define THREADS 256
#define WARPS (BLOCKS * THREADS / 32)
#define ROUNDS 14000		/* long compared with a launch */
#define TIMES 10		/* rounds between two timing marks */

/* A kernel for each part: what a warp finds is one word. */
template<uint32_t key> __global__ static void
search_part(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
	unsigned i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t h = mix_rounds(in[i] ^ key, ROUNDS);

#pragma unroll
	for (int k = 16; k > 0; k /= 2)
		h ^= __shfl_xor_sync(0xffffffff, h, k);
	if (threadIdx.x % 32 == 0)
		out[i / 32] = h;
}

typedef void search_kernel(const uint32_t *, uint32_t *);
static search_kernel *const search[PARTS] = {
	search_part<0>, search_part<1>, search_part<2>, search_part<3>
};

struct part {
	cudaStream_t stream;
	cudaEvent_t done;
};

/* All parts begin after the mark, and the next mark comes after all. */
static cudaError_t
search_all(struct job *job, struct part *part, cudaEvent_t begin,
    const uint32_t *in, uint32_t *out)
{
	cudaError_t e = cudaEventRecord(begin, job->stream);

	for (int p = 0; e == cudaSuccess && p < PARTS; p++) {
		cudaStream_t s = job->good ? part[p].stream : part[0].stream;

		e = cudaStreamWaitEvent(s, begin, 0);
	}
	for (int k = 0; e == cudaSuccess && k < TIMES; k++)
		for (int p = 0; e == cudaSuccess && p < PARTS; p++) {
			cudaStream_t s = job->good ? part[p].stream :
			    part[0].stream;

			search[p]<<<BLOCKS, THREADS, 0, s>>>(in +
			    p * BLOCKS * THREADS, out + p * WARPS);
			e = cudaGetLastError();
		}
	for (int p = 0; e == cudaSuccess && p < PARTS; p++) {
		e = cudaEventRecord(part[p].done, job->good ? part[p].stream :
		    part[0].stream);
		if (e == cudaSuccess)
			e = cudaStreamWaitEvent(job->stream, part[p].done, 0);
	}
	return e;
}

static void
check_part(struct job *job, const uint32_t *host, uint32_t p)
{
	for (unsigned w = 0; w < WARPS; w += 59) {
		uint32_t h = 0;

		for (unsigned lane = 0; lane < 32; lane++)
			h ^= mix_rounds(seeded(job->seed,
			    p * BLOCKS * THREADS + w * 32 + lane) ^ p, ROUNDS);
		check_word(job, p * WARPS + w, host[p * WARPS + w], h);
	}
}

PAIR(single_stream_serialisation, "give independent work streams of its own",
    "kernels at once")
{
	struct part part[PARTS] = {};
	cudaEvent_t begin;
	uint32_t *in, *out, *host;

	TRY(job_device(job, &in, (size_t)PARTS * BLOCKS * THREADS));
	TRY(job_output(job, &out, &host, (size_t)PARTS * WARPS));
	TRY(fill_words(job, in, (size_t)PARTS * BLOCKS * THREADS, job->seed));
	TRY(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming));
	for (int p = 0; p < PARTS; p++) {
		TRY(cudaStreamCreateWithFlags(&part[p].stream,
		    cudaStreamNonBlocking));
		TRY(cudaEventCreateWithFlags(&part[p].done,
		    cudaEventDisableTiming));
	}
	TRY(job_measure(job, 80, [&] {
		return search_all(job, part, begin, in, out);
	}));
	job->operations = (double)TIMES * PARTS * BLOCKS * THREADS * ROUNDS;

	TRY(job_fetch(job, host, out, (size_t)PARTS * WARPS));
	for (uint32_t p = 0; job->check && p < PARTS; p++)
		check_part(job, host, p);
	for (int p = 0; p < PARTS; p++) {
		TRY(cudaEventDestroy(part[p].done));
		TRY(cudaStreamDestroy(part[p].stream));
	}
	TRY(cudaEventDestroy(begin));
	return 0;
}
