/*
 * Say which data a kernel only reads.
 *
 * Each thread tabulates a polynomial of its own at 512 places. If the compiler
 * must assume that the table may overlap the coefficients (bad), it loads
 * all twelve again after each store; with const and __restrict__ (good) it
 * loads them once, through the read-only path, and keeps them in registers.
 *
 * The only difference is the type of the two pointers.
 *
 * Rule: read-only-path-unused. Metric that moves: global load instructions, 512
 * times less; LDG becomes LDG.CONSTANT.
 *
 *   cudadvise run --level source cudadvise-kernels read-only-path-unused \
 *     --variant bad
 *   ncu --metrics smsp__inst_executed_op_global_ld.sum,\
 *     l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \
 *     cudadvise-kernels read-only-path-unused --variant bad --once
 *
 * --size: places (default 512); a full wave of polynomials, of the bad variant.
 */
#include <algorithm>
#include <limits.h>

#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define TERMS 12
#define PLACES 512

__global__ static void
tabulate_aliased(const float *term, float *table, unsigned n, int places,
    float step)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = 0;

#pragma unroll 2
	for (int p = 0; p < places; p++, x += step) {
		float y = 0;

#pragma unroll
		for (int k = 0; k < TERMS; k++)
			y = y * x + term[k * n + i]; /* HERE */
		table[(size_t)p * n + i] = y;
	}
}

__global__ static void
tabulate_restricted(const float *__restrict__ term, float *__restrict__ table,
    unsigned n, int places, float step)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = 0;

#pragma unroll 2
	for (int p = 0; p < places; p++, x += step) {
		float y = 0;

#pragma unroll
		for (int k = 0; k < TERMS; k++)
			y = y * x + term[k * n + i];
		table[(size_t)p * n + i] = y;
	}
}

PAIR(read_only_path_unused, "say which data a kernel only reads",
    "global load instructions")
{
	auto kernel = job->good ? tabulate_restricted : tabulate_aliased;
	int places = (int)std::min<uint64_t>(job->size, INT_MAX);
	float *term, *table, *host, step = 1.0f / 1024;
	unsigned blocks;
	size_t n;

	if (!places)
		places = PLACES;
	TRY(job_wave(job, &blocks, tabulate_aliased, THREADS, 0));
	n = (size_t)blocks * THREADS;
	TRY(job_device(job, &term, n * TERMS));
	TRY(job_device(job, &table, n * places));
	TRY(job_pinned(job, &host, n));
	TRY(cudaMemsetAsync(table, 0xff, n * places * sizeof(*table),
	    job->stream));
	TRY(fill_floats(job, term, n * TERMS, job->seed));

	TRY(job_measure(job, 1000, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(term, table,
		    (unsigned)n, places, step);
		return cudaGetLastError();
	}));
	job->operations = 2.0 * TERMS * n * places;

	/* What each thread wrote last. */
	TRY(job_fetch(job, host, table + n * (places - 1), n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		double x = (places - 1) * (double)step, want = 0;

		for (int k = 0; k < TERMS; k++)
			want = want * x + seeded_float(job->seed, k * n + i);
		check_float(job, i, host[i], want, 1e-4);
	}
	return 0;
}
