/*
 * Let the compiler fuse a product and the sum that it goes into.
 *
 * Each thread applies a polynomial to its own value again and again. With
 * __fmul_rn and __fadd_rn (bad), which are never fused, each term takes two
 * instructions, as it does in a program built with -fmad=false; written with *
 * and + (good), one FFMA, which also rounds only once.
 *
 * The only difference is how a term is written.
 *
 * Rule: unfused-multiply-add. Metric that moves: FMUL and FADD instructions,
 * two for each FFMA.
 *
 *   cudadvise run --level source cudadvise-kernels unfused-multiply-add \
 *     --variant bad
 *   ncu --metrics smsp__sass_thread_inst_executed_op_fmul_pred_on.sum,\
 *     smsp__sass_thread_inst_executed_op_fadd_pred_on.sum,\
 *     smsp__sass_thread_inst_executed_op_ffma_pred_on.sum \
 *     cudadvise-kernels unfused-multiply-add --variant bad --once
 *
 * --size: values (default: four full waves of threads).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define WAVES 4
#define ROUNDS 64
#define TERMS 32

struct terms {
	float c[TERMS];
};

template<bool FUSED>
__global__ static void
apply(const float *__restrict__ in, float *__restrict__ out, unsigned n,
    const __grid_constant__ struct terms terms)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float x;

	if (i >= n)
		return;
	x = in[i];
#pragma unroll 1
	for (int r = 0; r < ROUNDS; r++) {
		float y = 0;

#pragma unroll
		for (int k = 0; k < TERMS; k++)
			if (FUSED)
				y = y * x + terms.c[k];
			else
				y = __fadd_rn(__fmul_rn(y, x), terms.c[k]); /* HERE */
		x = y;
	}
	out[i] = x;
}

PAIR(unfused_multiply_add, "let the compiler fuse a product and the sum that it goes into",
    "FMUL and FADD instructions")
{
	auto kernel = job->good ? apply<true> : apply<false>;
	struct terms terms;
	float *in, *out, *host;
	unsigned blocks;
	size_t n;

	/* Small enough that x stays in (-1, 1) and errors die out. */
	for (int k = 0; k < TERMS; k++)
		terms.c[k] = seeded_float(job->seed ^ 0xfa, k) / TERMS;
	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * WAVES * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_floats(job, in, n, job->seed));

	TRY(job_measure(job, 800, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out,
		    (unsigned)n, terms);
		return cudaGetLastError();
	}));
	job->operations = 2.0 * ROUNDS * TERMS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		double x = seeded_float(job->seed, i);

		for (int r = 0; r < ROUNDS; r++) {
			double y = 0;

			for (int k = 0; k < TERMS; k++)
				y = y * x + terms.c[k];
			x = y;
		}
		check_float(job, i, host[i], x, 1e-4);
	}
	return 0;
}
