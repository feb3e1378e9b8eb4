/*
 * Read the error of every launch.
 *
 * Each step launches a kernel with blocks of 2,048 threads, which no GPU
 * accepts. If the program does not read the error (bad) the launch is lost
 * silently, and a later kernel, which computes what is missing, does all the
 * work: the result is right, and the failure stays unknown. If the program calls
 * cudaGetLastError (good) it launches again with 1,024.
 *
 * The only difference is the check after the launch. The error itself is meant
 * to happen in both.
 *
 * Rule: unchecked-errors. Metric that moves: errors that were not read.
 *
 *   cudadvise run cudadvise-kernels unchecked-errors --variant bad
 *   compute-sanitizer --report-api-errors all \
 *     cudadvise-kernels unchecked-errors --variant bad --once
 *
 * --size: elements (default: two for each thread of a full wave).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 8192
#define TOO_MANY 2048		/* threads a block; the limit is 1,024 */
#define THREADS 1024

__global__ static void
mix_values(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
    size_t n)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step)
		out[i] = mix_rounds(in[i], ROUNDS);
}

/* Computes what is still poisoned. */
__global__ static void
mix_missing(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
    size_t n)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step)
		if (out[i] == UINT32_MAX)
			out[i] = mix_rounds(in[i], ROUNDS);
}

PAIR(unchecked_errors, "read the error of every launch",
    "errors that nobody read")
{
	cudaLaunchConfig_t rest = {};
	const uint32_t *values;
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, mix_values, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * THREADS * 2;
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));
	values = in;
	rest.gridDim = blocks;
	rest.blockDim = THREADS;
	rest.stream = job->stream;

	/* From here on only the good variant may call cudaGetLastError. */
	TRY(job_measure(job, 300, [&] {
		cudaError_t e = cudaMemsetAsync(out, 0xff, n * sizeof(*out),
		    job->stream);

		if (e != cudaSuccess)
			return e;
		mix_values<<<blocks, TOO_MANY, 0, job->stream>>>(values, out,
		    n);
		if (job->good && cudaGetLastError() != cudaSuccess) {
			mix_values<<<blocks, THREADS, 0, job->stream>>>(values,
			    out, n);
			e = cudaGetLastError();
			if (e != cudaSuccess)
				return e;
		}
		return cudaLaunchKernelEx(&rest, mix_missing, values, out, n);
	}));
	job->operations = (double)ROUNDS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i],
		    mix_rounds(seeded(job->seed, i), ROUNDS));
	}
	return 0;
}
