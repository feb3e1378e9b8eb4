/*
 * Consecutive threads must read consecutive addresses.
 *
 * Each thread makes the dot product of one row of two matrices. Stored row
 * after row (bad), the 32 threads of a warp read 32 places a whole row apart:
 * 32 sectors of 32 bytes for 128 bytes that are used. Stored column after
 * column (good), they read one line of 128 bytes: 4 sectors.
 *
 * The only difference is the layout, that is, which index is multiplied.
 *
 * Rule: uncoalesced-global-access. Metric that moves: sectors per request of
 * global loads, 32 against 4; L2 traffic follows.
 *
 *   cudadvise run cudadvise-kernels uncoalesced-global-access --variant bad
 *   ncu --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,\
 *     l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum \
 *     cudadvise-kernels uncoalesced-global-access --variant bad --once
 *
 * --size: rows (default: a full wave of threads).
 */
#include "harness.h"
#include "pairs.h"

#define COLUMNS 512
#define THREADS 256

template<bool BY_COLUMN>
__global__ static void
dot_rows(const float *__restrict__ a, const float *__restrict__ b,
    float *__restrict__ out, size_t rows)
{
	size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (row >= rows)
		return;
	/* Not unrolled: neighbours in a row would come out of one request's
	 * sectors, and hide what the layout costs. */
#pragma unroll 1
	for (int j = 0; j < COLUMNS; j++) {
		size_t at = BY_COLUMN ? j * rows + row : row * COLUMNS + j;

		sum += a[at] * b[at]; /* HERE */
	}
	out[row] = sum;
}

PAIR(uncoalesced_global_access, "consecutive threads read consecutive addresses",
    "sectors per global load request")
{
	auto kernel = job->good ? dot_rows<true> : dot_rows<false>;
	uint64_t seed = job->seed, other = seed ^ 0xb;
	float *a, *b, *out, *host;
	unsigned blocks;
	size_t rows;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	rows = job->size ? job->size : (size_t)blocks * THREADS;
	blocks = (unsigned)((rows + THREADS - 1) / THREADS);
	TRY(job_device(job, &a, rows * COLUMNS));
	TRY(job_device(job, &b, rows * COLUMNS));
	TRY(job_output(job, &out, &host, rows));
	TRY(fill_floats(job, a, rows * COLUMNS, seed));
	TRY(fill_floats(job, b, rows * COLUMNS, other));

	TRY(job_measure(job, 400, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(a, b, out, rows);
		return cudaGetLastError();
	}));
	job->bytes = 2.0 * rows * COLUMNS * sizeof(*a);

	TRY(job_fetch(job, host, out, rows));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t row = job_pick(job, s, rows);
		double want = 0;

		for (int j = 0; j < COLUMNS; j++) {
			uint64_t at = job->good ? j * rows + row :
			    row * COLUMNS + j;

			want += (double)seeded_float(seed, at) *
			    seeded_float(other, at);
		}
		check_float(job, row, host[row], want, 1e-3);
	}
	return 0;
}
