/*
 * A block should be at least 32 threads wide.
 *
 * Two images are added, a thread an element, threadIdx.x along the row. In
 * blocks of 2 × 128 threads (bad) the 32 lanes of a warp are in 16 rows, two
 * next to each other in each: 16 sectors of 32 bytes for 128 bytes that are
 * used. In blocks of 64 × 4 (good) they are in one row: 4 sectors.
 *
 * The only difference is the shape of the block, of 256 threads in both.
 *
 * Rule: block-shape-breaks-rows. Metric that moves: sectors per request of
 * global loads and stores, 16 against 4; L2 traffic follows.
 *
 *   cudadvise run cudadvise-kernels block-shape-breaks-rows --variant bad
 *   ncu --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,\
 *     l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum \
 *     cudadvise-kernels block-shape-breaks-rows --variant bad --once
 *
 * --size: rows (default: 16,384).
 */
#include "harness.h"
#include "pairs.h"

#define COLUMNS 4096
#define ROWS 16384
#define EACH 8			/* rows of a thread */

__global__ static void __launch_bounds__(256)
add_images(const float *__restrict__ a, const float *__restrict__ b,
    float *__restrict__ out, unsigned rows)
{
	unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned row = blockIdx.y * blockDim.y * EACH + threadIdx.y;

#pragma unroll
	for (int k = 0; k < EACH; k++, row += blockDim.y) {
		size_t at = (size_t)row * COLUMNS + column;

		if (row < rows)
			out[at] = a[at] + b[at]; /* HERE */
	}
}

PAIR(block_shape_breaks_rows, "a block should be at least 32 threads wide",
    "sectors per global load and store request")
{
	dim3 block = job->good ? dim3(64, 4) : dim3(2, 128), grid;
	uint64_t seed = job->seed, other = seed ^ 0xb;
	unsigned rows = job->size ? (unsigned)job->size : ROWS;
	size_t n = (size_t)rows * COLUMNS;
	float *a, *b, *out, *host;

	grid = dim3(COLUMNS / block.x,
	    (rows + block.y * EACH - 1) / (block.y * EACH));
	TRY(job_device(job, &a, n));
	TRY(job_device(job, &b, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_floats(job, a, n, seed));
	TRY(fill_floats(job, b, n, other));

	TRY(job_measure(job, 600, [&] {
		add_images<<<grid, block, 0, job->stream>>>(a, b, out, rows);
		return cudaGetLastError();
	}));
	job->bytes = 3.0 * n * sizeof(*a);

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_float(job, i, host[i], (double)seeded_float(seed, i) +
		    seeded_float(other, i), 1e-6);
	}
	return 0;
}
