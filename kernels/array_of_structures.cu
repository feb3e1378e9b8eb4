/*
 * A structure of arrays, where few fields of an array of structures are read.
 *
 * Each thread multiplies two of the eight fields of its body. In an array of
 * structures (bad) the bodies are 32 bytes apart: each load of a warp touches
 * 32 sectors for the 128 bytes that it uses, and all eight fields come along.
 * In arrays of their own (good) the fields of a warp are 4 sectors each.
 *
 * The only difference is the layout.
 *
 * Rule: array-of-structures. Metric that moves: sectors per request of global
 * loads, 32 against 4; bytes read from DRAM, 4 times less.
 *
 *   cudadvise run --level source cudadvise-kernels array-of-structures \
 *     --variant bad
 *   ncu --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,\
 *     l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,dram__bytes_read.sum \
 *     cudadvise-kernels array-of-structures --variant bad --once
 *
 * --size: bodies (default 2^24).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define FIELDS 8		/* of a body */
#define MASS 6			/* which of them */

struct body {
	float x, y, z, vx, vy, vz, mass, charge;
};

__global__ static void
moment_of_structures(const struct body *__restrict__ body,
    float *__restrict__ out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = body[i].x * body[i].mass; /* HERE */
}

__global__ static void
moment_of_arrays(const float *__restrict__ x, const float *__restrict__ mass,
    float *__restrict__ out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = x[i] * mass[i];
}

PAIR(array_of_structures, "a structure of arrays, where few fields are read",
    "sectors per global load request")
{
	size_t n = job->size ? job->size : (size_t)1 << 24;
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	float *data, *out, *host;

	TRY(job_device(job, &data, n * FIELDS));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_floats(job, data, n * FIELDS, job->seed));

	TRY(job_measure(job, 800, [&] {
		if (job->good)
			moment_of_arrays<<<blocks, THREADS, 0, job->stream>>>(
			    data, data + MASS * n, out, (unsigned)n);
		else
			moment_of_structures<<<blocks, THREADS, 0,
			    job->stream>>>((const struct body *)data, out,
			    (unsigned)n);
		return cudaGetLastError();
	}));
	job->bytes = 3.0 * n * sizeof(*out);	/* that are of use */

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		uint64_t x = job->good ? i : i * FIELDS;
		uint64_t mass = job->good ? MASS * n + i : i * FIELDS + MASS;

		check_float(job, i, host[i],
		    (double)seeded_float(job->seed, x) *
		    seeded_float(job->seed, mass), 1e-6);
	}
	return 0;
}
