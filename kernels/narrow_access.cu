/*
 * Read 16 bytes at a time, not one.
 *
 * Each byte of the result is the parity (exclusive or) of 32 bytes above each
 * other in an image. A thread makes one byte of it (bad), so that a load moves
 * 32 bytes for a whole warp; or 16 bytes of it (good), so that the same load
 * instruction moves 512. Neighbouring rows are read again and again, from L1:
 * how many loads the load-store unit takes in a cycle is the limit, not bytes.
 *
 * The only difference is the type of an element.
 *
 * Rule: narrow-access. Metric that moves: global load instructions, 16 times
 * less; the load-store unit's utilisation.
 *
 *   cudadvise run --level source cudadvise-kernels narrow-access --variant bad
 *   ncu --metrics smsp__sass_inst_executed_op_memory_8b.sum,\
 *     smsp__sass_inst_executed_op_memory_128b.sum,\
 *     sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active \
 *     cudadvise-kernels narrow-access --variant bad --once
 *
 * --size: rows, rounded up to a multiple of 8 (default 8192).
 */
#include "harness.h"
#include "pairs.h"

#define WIDTH 8192		/* bytes of a row */
#define WINDOW 32		/* rows that make one */
#define BLOCK_X 32
#define BLOCK_Y 8

static __device__ inline uint8_t
parity(uint8_t a, uint8_t b)
{
	return a ^ b;
}

static __device__ inline uint4
parity(uint4 a, uint4 b)
{
	return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
}

template<typename T>
__global__ static void __launch_bounds__(BLOCK_X * BLOCK_Y, 8)
parity_of_rows(const T *__restrict__ in, T *__restrict__ out)
{
	constexpr unsigned columns = WIDTH / sizeof(T);
	unsigned x = blockIdx.x * BLOCK_X + threadIdx.x;
	unsigned y = blockIdx.y * BLOCK_Y + threadIdx.y;
	const T *top = in + (size_t)y * columns + x;
	T all = top[0];

#pragma unroll
	for (unsigned k = 1; k < WINDOW; k++)
		all = parity(all, top[k * columns]); /* HERE */
	out[(size_t)y * columns + x] = all;
}

PAIR(narrow_access, "read 16 bytes at a time, not one",
    "global load instructions")
{
	size_t rows = job->size ? job->size : 8192;
	unsigned down = (unsigned)((rows + BLOCK_Y - 1) / BLOCK_Y);
	unsigned across = WIDTH / BLOCK_X / (job->good ? sizeof(uint4) : 1);
	dim3 grid(across, down), block(BLOCK_X, BLOCK_Y);
	size_t words = WIDTH / sizeof(uint32_t);	/* of a row */
	uint32_t *in, *out, *host;
	size_t n;

	rows = (size_t)down * BLOCK_Y;
	n = rows * words;
	TRY(job_device(job, &in, n + (WINDOW - 1) * words));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n + (WINDOW - 1) * words, job->seed));

	TRY(job_measure(job, 400, [&] {
		if (job->good)
			parity_of_rows<uint4><<<grid, block, 0, job->stream>>>(
			    (const uint4 *)in, (uint4 *)out);
		else
			parity_of_rows<uint8_t><<<grid, block, 0,
			    job->stream>>>((const uint8_t *)in, (uint8_t *)out);
		return cudaGetLastError();
	}));
	job->bytes = (WINDOW + 1.0) * rows * WIDTH;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t want = 0;

		for (unsigned k = 0; k < WINDOW; k++)
			want ^= seeded(job->seed, i + k * words);
		check_word(job, i, host[i], want);
	}
	return 0;
}
