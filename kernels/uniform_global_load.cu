/*
 * Put data that all threads read into constant memory.
 *
 * Every thread evaluates one polynomial at its own place. The coefficients, the
 * same for all, lie in global memory (bad): a load instruction for each, whose
 * 32 lanes ask for one address, and the load-store unit takes one a cycle; or
 * in constant memory (good), from where the multiply-add takes them itself.
 *
 * The only difference is where the coefficients lie.
 *
 * Rule: uniform-global-load. Metric that moves: global load instructions, one
 * for each multiply-add against almost none.
 *
 *   cudadvise run --level source cudadvise-kernels uniform-global-load \
 *     --variant bad
 *   ncu --metrics smsp__inst_executed_op_global_ld.sum,\
 *     l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,\
 *     l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum \
 *     cudadvise-kernels uniform-global-load --variant bad --once
 *
 * --size: places (default: 64 full waves of threads).
 */
#include <math.h>

#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define TERMS 128
#define WAVES 64

static __constant__ float constant_term[TERMS];

template<bool CONSTANT>
__global__ static void
evaluate(const float *__restrict__ place, const float *__restrict__ term,
    float *__restrict__ out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float x, y = 0;

	if (i >= n)
		return;
	x = place[i];
#pragma unroll
	for (int k = 0; k < TERMS; k++)
		if (CONSTANT)
			y = y * x + constant_term[k];
		else
			y = y * x + term[k]; /* HERE */
	out[i] = y;
}

PAIR(uniform_global_load, "put data that all threads read into constant memory",
    "global load instructions")
{
	auto kernel = job->good ? evaluate<true> : evaluate<false>;
	uint64_t seed = job->seed, other = seed ^ 0xc0ef;
	float *place, *term, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * WAVES * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &place, n));
	TRY(job_device(job, &term, TERMS));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_floats(job, place, n, seed));
	TRY(fill_floats(job, term, TERMS, other));
	TRY(cudaMemcpyToSymbolAsync(constant_term, term, sizeof(constant_term),
	    0, cudaMemcpyDeviceToDevice, job->stream));

	TRY(job_measure(job, 400, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(place, term, out,
		    (unsigned)n);
		return cudaGetLastError();
	}));
	job->operations = 2.0 * TERMS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		double x = seeded_float(seed, i), want = 0, most = 0;

		/* Rounding is relative to the largest that y was. */
		for (int k = 0; k < TERMS; k++) {
			want = want * x + seeded_float(other, k);
			most = fmax(most, fabs(want));
		}
		check_float(job, i, host[i], want, 1e-4 * (1 + most));
	}
	return 0;
}
