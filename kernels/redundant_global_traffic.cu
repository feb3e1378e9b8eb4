/*
 * Use a value several times once it is in a register.
 *
 * A filter of 32 coefficients over the columns of an image. A thread makes one
 * result (bad): 32 loads for 32 multiply-adds, 31 of which its neighbour below
 * repeats; the caches deliver one per cycle on each SM. Or it makes
 * 16 results below each other (good): 47 loads for 512 multiply-adds, because
 * each loaded value is used for every result that needs it.
 *
 * The only difference is how many results a thread makes.
 *
 * Rule: redundant-global-traffic. Metric that moves: global load instructions,
 * eleven times less; the L1 data pipe's utilisation.
 *
 *   cudadvise run cudadvise-kernels redundant-global-traffic --variant bad
 *   ncu --metrics l1tex__data_pipe_lsu_wavefronts.sum,\
 *     smsp__inst_executed_op_global_ld.sum,dram__bytes_read.sum \
 *     cudadvise-kernels redundant-global-traffic --variant bad --once
 *
 * --size: rows, rounded up to a multiple of 128 (default 8192).
 */
#include <math.h>

#include "harness.h"
#include "pairs.h"

#define WIDTH 8192		/* columns */
#define TAPS 32
#define BLOCK_X 32
#define BLOCK_Y 8
#define MANY 16			/* results a thread */

struct filter {
	float tap[TAPS];
};

template<int RESULTS>
__global__ static void __launch_bounds__(BLOCK_X * BLOCK_Y)
filter_columns(const float *__restrict__ in, float *__restrict__ out,
    const __grid_constant__ struct filter filter)
{
	unsigned x = blockIdx.x * BLOCK_X + threadIdx.x;
	size_t y = ((size_t)blockIdx.y * BLOCK_Y + threadIdx.y) * RESULTS;
	const float *top = in + y * WIDTH + x;
	float sum[RESULTS] = { 0 };

#pragma unroll
	for (int row = 0; row < RESULTS + TAPS - 1; row++) {
		float v = top[(size_t)row * WIDTH]; /* HERE */

#pragma unroll
		for (int r = 0; r < RESULTS; r++)
			if (row >= r && row - r < TAPS)
				sum[r] += filter.tap[row - r] * v;
	}
#pragma unroll
	for (int r = 0; r < RESULTS; r++)
		out[(y + r) * WIDTH + x] = sum[r];
}

PAIR(redundant_global_traffic, "use a value several times once it is in a register",
    "global load instructions, L1 pipe utilisation")
{
	auto kernel = job->good ? filter_columns<MANY> : filter_columns<1>;
	unsigned each = BLOCK_Y * (job->good ? MANY : 1);	/* rows of a block */
	size_t rows = job->size ? job->size : 8192, n, all;
	struct filter filter;
	float *in, *out, *host;
	dim3 block(BLOCK_X, BLOCK_Y);

	rows = (rows + BLOCK_Y * MANY - 1) / (BLOCK_Y * MANY) *
	    (BLOCK_Y * MANY);
	n = rows * WIDTH;
	all = n + (size_t)(TAPS - 1) * WIDTH;
	for (int k = 0; k < TAPS; k++)
		filter.tap[k] = seeded_float(job->seed ^ 0x7a, k);
	TRY(job_device(job, &in, all));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_floats(job, in, all, job->seed));

	TRY(job_measure(job, 1000, [&] {
		dim3 grid(WIDTH / BLOCK_X, (unsigned)(rows / each));

		kernel<<<grid, block, 0, job->stream>>>(in, out, filter);
		return cudaGetLastError();
	}));
	job->bytes = (double)(all + n) * sizeof(*in);
	job->operations = 2.0 * TAPS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		double want = 0;

		for (int k = 0; k < TAPS; k++)
			want += (double)filter.tap[k] * seeded_float(job->seed,
			    i + (uint64_t)k * WIDTH);
		check_float(job, i, host[i], want, 1e-4);
	}
	return 0;
}
