/*
 * Add up within a warp by shuffles, not through shared memory.
 *
 * Each block finds mean and variance of rows of 256 values, from two sums over
 * the block. The sums go through a tree in shared memory, with a barrier for
 * each of its eight levels (bad); or warps add up by shuffles and only their
 * eight sums go through shared memory, with one barrier (good).
 *
 * The only difference is the sum over a block.
 *
 * Rule: shuffle-reduction. Metric that moves: barriers and shared-memory
 * instructions; stalls at barriers.
 *
 *   cudadvise run --level source cudadvise-kernels shuffle-reduction \
 *     --variant bad
 *   ncu --section WarpStateStats --section SourceCounters \
 *     cudadvise-kernels shuffle-reduction --variant bad --once
 *
 * --size: rows a block (default 256); a full wave of blocks.
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256		/* values of a row */
#define WARPS (THREADS / 32)

/* The sums of *${a} and *${b} over the block, for thread 0. */
static __device__ inline void
sum_by_tree(float *a, float *b)
{
	__shared__ float left[THREADS], right[THREADS];
	unsigned t = threadIdx.x;

	left[t] = *a;
	right[t] = *b;
	__syncthreads();
	for (unsigned s = THREADS / 2; s > 0; s /= 2) { /* HERE */
		if (t < s) { /* HERE */
			left[t] += left[t + s]; /* HERE */
			right[t] += right[t + s]; /* HERE */
		}
		__syncthreads(); /* HERE */
	}
	*a = left[0];
	*b = right[0];
	/* No barrier: only thread 0 writes left[0] and right[0] next. */
}

static __device__ inline float
sum_of_warp(float v)
{
	for (unsigned s = 16; s > 0; s /= 2)
		v += __shfl_down_sync(~0u, v, s);
	return v;
}

/* ${part}, 2 × WARPS, must not be that of the last sums: thread 0 may not have
 * read them yet. */
static __device__ inline void
sum_by_shuffle(float *a, float *b, float *part)
{
	float *mine = part + threadIdx.x / 32;

	*a = sum_of_warp(*a);
	*b = sum_of_warp(*b);
	if (threadIdx.x % 32 == 0) {
		mine[0] = *a;
		mine[WARPS] = *b;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		*a = *b = 0;
		for (unsigned w = 0; w < WARPS; w++) {
			*a += part[w];
			*b += part[w + WARPS];
		}
	}
}

template<bool SHUFFLE>
__global__ static void
variances(const float *__restrict__ in, float2 *__restrict__ out, unsigned rows)
{
	__shared__ __align__(16) float part[2][2 * WARPS];
	unsigned row = blockIdx.x, turn = 0;
	float v = in[(size_t)row * THREADS + threadIdx.x];

	while (row < rows) {
		unsigned next = row + gridDim.x;
		float ahead = next < rows ?
		    in[(size_t)next * THREADS + threadIdx.x] : 0;
		float sum = v, squares = v * v;

		if (SHUFFLE)
			sum_by_shuffle(&sum, &squares, part[turn]);
		else
			sum_by_tree(&sum, &squares);
		if (threadIdx.x == 0) {
			float mean = sum / THREADS;

			out[row] = make_float2(mean,
			    squares / THREADS - mean * mean);
		}
		v = ahead;
		row = next;
		turn ^= 1;
	}
}

PAIR(shuffle_reduction, "add up within a warp by shuffles, not through shared memory",
    "barriers, stalls at barriers")
{
	auto kernel = job->good ? variances<true> : variances<false>;
	float *in;
	float2 *out, *host;
	unsigned blocks;
	size_t rows;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	rows = blocks * (job->size ? job->size : 256);
	TRY(job_device(job, &in, rows * THREADS));
	TRY(job_output(job, &out, &host, rows));
	TRY(fill_floats(job, in, rows * THREADS, job->seed));

	TRY(job_measure(job, 1000, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out,
		    (unsigned)rows);
		return cudaGetLastError();
	}));
	job->bytes = (double)rows * THREADS * sizeof(*in);

	TRY(job_fetch(job, host, out, rows));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t row = job_pick(job, s, rows);
		double sum = 0, squares = 0, mean;

		for (int t = 0; t < THREADS; t++) {
			double v = seeded_float(job->seed, row * THREADS + t);

			sum += v;
			squares += v * v;
		}
		mean = sum / THREADS;
		check_float(job, row, host[row].x, mean, 1e-6);
		check_float(job, row, host[row].y,
		    squares / THREADS - mean * mean, 1e-5);
	}
	return 0;
}
