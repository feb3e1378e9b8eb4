/*
 * Write 0.01f, not 0.01, where floats are meant.
 *
 * Each thread follows the fall of a body in air, step by step. All data are
 * float, but a literal without an f is a double (bad): operands are converted
 * to double, computed there and converted back. With an f (good) nothing is.
 *
 * The only difference is the type of the literals.
 *
 * Rule: double-precision. Metric that moves: FP64 instructions and conversions,
 * some each step against none.
 *
 *   cudadvise run --level source cudadvise-kernels double-precision \
 *     --variant bad
 *   ncu --metrics sm__inst_executed_pipe_fp64.sum,\
 *     sm__inst_executed_pipe_xu.sum \
 *     cudadvise-kernels double-precision --variant bad --once
 *
 * --size: bodies (default: four full waves of threads).
 */
#include <math.h>

#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define WAVES 4
#define STEPS 512

__global__ static void
fall_by_double(const float *__restrict__ start, float *__restrict__ out,
    unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float v;

	if (i >= n)
		return;
	v = start[i];
#pragma unroll 8
	for (int k = 0; k < STEPS; k++)
		v += (9.81 - 0.3 * v - 0.02 * v * fabsf(v)) * 0.01; /* HERE */
	out[i] = v;
}

__global__ static void
fall_by_float(const float *__restrict__ start, float *__restrict__ out,
    unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float v;

	if (i >= n)
		return;
	v = start[i];
#pragma unroll 8
	for (int k = 0; k < STEPS; k++)
		v += (9.81f - 0.3f * v - 0.02f * v * fabsf(v)) * 0.01f;
	out[i] = v;
}

PAIR(double_precision, "write 0.01f, not 0.01, where floats are meant",
    "FP64 instructions and conversions")
{
	auto kernel = job->good ? fall_by_float : fall_by_double;
	float *start, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * WAVES * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &start, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_floats(job, start, n, job->seed));

	TRY(job_measure(job, 400, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(start, out,
		    (unsigned)n);
		return cudaGetLastError();
	}));
	job->operations = (double)STEPS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		double v = seeded_float(job->seed, i);

		for (int k = 0; k < STEPS; k++)
			v += (9.81 - 0.3 * v - 0.02 * v * fabs(v)) * 0.01;
		check_float(job, i, host[i], v, 1e-3);
	}
	return 0;
}
