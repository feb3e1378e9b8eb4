/*
 * One kernel that reads the data once, not three kernels.
 *
 * Rows of 1,024 floats become rows with mean 0 and deviation 1, a warp a row.
 * Three kernels (bad) compute the means, the deviations and the result; each of
 * them reads all rows, 128 MiB, which no cache holds. One kernel (good) loads a
 * row into registers and does all three steps with it.
 *
 * The only difference is how many kernels share the steps.
 *
 * Rule: kernel-fusion-candidate. Metric that moves: bytes read from DRAM.
 *
 *   cudadvise run cudadvise-kernels kernel-fusion-candidate --variant bad
 *   ncu --section MemoryWorkloadAnalysis_Tables \
 *     cudadvise-kernels kernel-fusion-candidate --variant bad --once
 *
 * --size: rows (default 32,768).
 * --repeat: tens of steps (default 400).
 */
#include <math.h>

#include "harness.h"
#include "pairs.h"

#define ROW 1024		/* floats */
#define PARTS (ROW / 4 / 32)	/* float4 a lane */
#define THREADS 256
#define ROWS 32768
#define STEPS 10		/* between two timing marks */
#define CHECKED 64		/* rows */
#define TOLERANCE 1e-4		/* sums of 1,024 floats */

/* The part of row ${row} that this lane works on. */
static __device__ void
load_row(const float4 *__restrict__ in, size_t row, float4 v[PARTS])
{
	const float4 *from = in + row * (ROW / 4) + threadIdx.x % 32;

#pragma unroll
	for (int k = 0; k < PARTS; k++)
		v[k] = from[k * 32];
}

static __device__ float
sum_warp(float s)
{
#pragma unroll
	for (int k = 16; k > 0; k /= 2)
		s += __shfl_xor_sync(0xffffffff, s, k);
	return s;
}

static __device__ float
mean_of(const float4 v[PARTS])
{
	float s = 0;

#pragma unroll
	for (int k = 0; k < PARTS; k++)
		s += v[k].x + v[k].y + v[k].z + v[k].w;
	return sum_warp(s) / ROW;
}

static __device__ float
scale_of(const float4 v[PARTS], float mean)
{
	float s = 0;

#pragma unroll
	for (int k = 0; k < PARTS; k++) {
		float x = v[k].x - mean, y = v[k].y - mean;
		float z = v[k].z - mean, w = v[k].w - mean;

		s += x * x + y * y + z * z + w * w;
	}
	return rsqrtf(sum_warp(s) / ROW);
}

static __device__ void
store_row(float4 *__restrict__ out, size_t row, const float4 v[PARTS],
    float mean, float scale)
{
	float4 *to = out + row * (ROW / 4) + threadIdx.x % 32;

#pragma unroll
	for (int k = 0; k < PARTS; k++)
		to[k * 32] = make_float4((v[k].x - mean) * scale,
		    (v[k].y - mean) * scale, (v[k].z - mean) * scale,
		    (v[k].w - mean) * scale);
}

static __device__ size_t
row_of_warp(void)
{
	return ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
}

__global__ static void
row_mean(const float4 *__restrict__ in, float2 *__restrict__ stats,
    size_t rows)
{
	size_t row = row_of_warp();
	float4 v[PARTS];
	float mean;

	if (row >= rows)
		return;
	load_row(in, row, v);
	mean = mean_of(v);
	if (threadIdx.x % 32 == 0)
		stats[row].x = mean;
}

__global__ static void
row_scale(const float4 *__restrict__ in, float2 *stats, size_t rows)
{
	size_t row = row_of_warp();
	float4 v[PARTS];
	float scale;

	if (row >= rows)
		return;
	load_row(in, row, v);
	scale = scale_of(v, stats[row].x);
	if (threadIdx.x % 32 == 0)
		stats[row].y = scale;
}

__global__ static void
row_normalise(const float4 *__restrict__ in, const float2 *__restrict__ stats,
    float4 *__restrict__ out, size_t rows)
{
	size_t row = row_of_warp();
	float4 v[PARTS];
	float2 s;

	if (row >= rows)
		return;
	load_row(in, row, v);
	s = stats[row];
	store_row(out, row, v, s.x, s.y);
}

__global__ static void
row_all(const float4 *__restrict__ in, float4 *__restrict__ out, size_t rows)
{
	size_t row = row_of_warp();
	float4 v[PARTS];
	float mean;

	if (row >= rows)
		return;
	load_row(in, row, v);
	mean = mean_of(v);
	store_row(out, row, v, mean, scale_of(v, mean));
}

static void
check_row(struct job *job, const float *host, size_t row)
{
	double mean = 0, square = 0;

	for (size_t i = 0; i < ROW; i++)
		mean += seeded_float(job->seed, row * ROW + i);
	mean /= ROW;
	for (size_t i = 0; i < ROW; i++) {
		double d = seeded_float(job->seed, row * ROW + i) - mean;

		square += d * d;
	}
	for (size_t i = 0; i < ROW; i += 37) {
		double x = seeded_float(job->seed, row * ROW + i);

		check_float(job, row * ROW + i, host[row * ROW + i],
		    (x - mean) / sqrt(square / ROW), TOLERANCE);
	}
}

PAIR(kernel_fusion_candidate, "one kernel that reads the data once, not three kernels",
    "bytes read from DRAM")
{
	size_t rows = job->size ? job->size : ROWS;
	size_t n = rows * ROW;
	unsigned blocks = (unsigned)((rows * 32 + THREADS - 1) / THREADS);
	float *in, *out, *host;
	float2 *stats;

	TRY(job_device(job, &in, n));
	TRY(job_device(job, &stats, rows));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_floats(job, in, n, job->seed));

	TRY(job_measure(job, 400, [&] {
		const float4 *from = (const float4 *)in;
		float4 *to = (float4 *)out;
		cudaStream_t s = job->stream;

		for (int k = 0; k < STEPS; k++) {
			if (job->good) {
				row_all<<<blocks, THREADS, 0, s>>>(from, to,
				    rows);
				continue;
			}
			row_mean<<<blocks, THREADS, 0, s>>>(from, stats, rows);
			row_scale<<<blocks, THREADS, 0, s>>>(from, stats, rows);
			row_normalise<<<blocks, THREADS, 0, s>>>(from, stats,
			    to, rows);
		}
		return cudaGetLastError();
	}));
	job->bytes = 2.0 * STEPS * n * sizeof(float);

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < CHECKED; s++)
		check_row(job, host, job_pick(job, s, rows));
	return 0;
}
