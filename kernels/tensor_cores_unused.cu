/*
 * Multiply matrices on the tensor cores, where their precision does.
 *
 * C = A B, by tiles of 128 × 128 in shared memory. From there each thread adds
 * up 8 × 4 elements, a fused multiply-add a product (bad), or each warp
 * 32 × 32 with tensor cores (good), which multiply 16 × 8 by 8 × 16 at once.
 * They round each factor to TF32: 10 bits of the mantissa remain of 23. The sums
 * are floats in both variants.
 *
 * The only difference is what multiplies the tiles.
 *
 * Rule: tensor-cores-unused. Metric that moves: executed instructions, the FMA
 * pipe against the tensor pipe.
 *
 *   cudadvise run --level source cudadvise-kernels tensor-cores-unused \
 *     --variant bad
 *   ncu --section ComputeWorkloadAnalysis --section InstructionStats \
 *     cudadvise-kernels tensor-cores-unused --variant bad --once
 *
 * --size: rows and columns of C (default: 4096; a multiple of 128).
 */
#include <mma.h>

#include "harness.h"
#include "pairs.h"

#define INNER 1024		/* columns of A, rows of B */
#define TILE 128		/* rows and columns of a block's part of C */
#define DEPTH 32		/* of INNER, at a time */
#define THREADS 512
#define A_PITCH (DEPTH + 4)	/* no two lanes of a fragment in one bank */
#define B_PITCH (TILE + 8)

struct tiles {
	float a[TILE][A_PITCH], b[DEPTH][B_PITCH];
};

/* TF32 came with compute capability 8.0. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HAVE_TF32
#endif

template<bool TENSOR>
static __device__ inline float4
as_used(float4 v)
{
#ifdef HAVE_TF32
	if (TENSOR) {
		v.x = nvcuda::wmma::__float_to_tf32(v.x);
		v.y = nvcuda::wmma::__float_to_tf32(v.y);
		v.z = nvcuda::wmma::__float_to_tf32(v.z);
		v.w = nvcuda::wmma::__float_to_tf32(v.w);
	}
#endif
	return v;
}

/* Rows ${row}.. of A and columns ${column}.. of B, from ${k} on. */
template<bool TENSOR>
static __device__ inline void
load_tiles(struct tiles *t, const float *__restrict__ a,
    const float *__restrict__ b, unsigned n, unsigned row, unsigned column,
    unsigned k)
{
#pragma unroll
	for (unsigned i = threadIdx.x * 4; i < TILE * DEPTH; i += THREADS * 4) {
		unsigned r = i / DEPTH, c = i % DEPTH;

		*(float4 *)&t->a[r][c] = as_used<TENSOR>(*(const float4 *)
		    &a[(row + r) * INNER + k + c]);
		r = i / TILE;
		c = i % TILE;
		*(float4 *)&t->b[r][c] = as_used<TENSOR>(*(const float4 *)
		    &b[(k + r) * n + column + c]);
	}
}

/* 8 × 4 elements of C: rows 4 apart, so that the lanes of a warp, 4 rows of 8,
 * read from different banks, or the same word. */
struct by_thread {
	float c[8][4];

	__device__ void
	clear()
	{
		for (int i = 0; i < 8; i++)
			for (int j = 0; j < 4; j++)
				c[i][j] = 0;
	}
	static __device__ unsigned
	row()
	{
		return threadIdx.x / 128 * 32 + threadIdx.x % 32 / 8;
	}
	static __device__ unsigned
	column()
	{
		return threadIdx.x / 32 % 4 * 32 + threadIdx.x % 8 * 4;
	}
	__device__ void
	add(const struct tiles *t)
	{
#pragma unroll 1
		for (int k = 0; k < DEPTH; k += 2) {
			float2 a[8];

#pragma unroll
			for (int i = 0; i < 8; i++)
				a[i] = *(const float2 *)
				    &t->a[row() + 4 * i][k]; /* HERE */
#pragma unroll
			for (int s = 0; s < 2; s++) {
				float4 b = *(const float4 *)
				    &t->b[k + s][column()]; /* HERE */

#pragma unroll
				for (int i = 0; i < 8; i++) {
					float v = s ? a[i].y : a[i].x;

					c[i][0] += v * b.x; /* HERE */
					c[i][1] += v * b.y; /* HERE */
					c[i][2] += v * b.z; /* HERE */
					c[i][3] += v * b.w; /* HERE */
				}
			}
		}
	}
	__device__ void
	store(float *out, unsigned n) const
	{
#pragma unroll
		for (int i = 0; i < 8; i++)
			*(float4 *)&out[(size_t)(row() + 4 * i) * n +
			    column()] = make_float4(c[i][0], c[i][1], c[i][2],
			    c[i][3]);
	}
};

#ifdef HAVE_TF32
/* 32 × 32 elements of C by a warp, in four fragments. */
struct by_warp {
	template<typename USE, typename... LAYOUT> using fragment =
	    nvcuda::wmma::fragment<USE, 16, 16, 8, LAYOUT...>;
	fragment<nvcuda::wmma::accumulator, float> c[2][2];

	__device__ void
	clear()
	{
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 2; j++)
				nvcuda::wmma::fill_fragment(c[i][j], 0.0f);
	}
	static __device__ unsigned
	row()
	{
		return threadIdx.x / 128 * 32;
	}
	static __device__ unsigned
	column()
	{
		return threadIdx.x / 32 % 4 * 32;
	}
	__device__ void
	add(const struct tiles *t)
	{
#pragma unroll 2
		for (int k = 0; k < DEPTH; k += 8) {
			fragment<nvcuda::wmma::matrix_b,
			    nvcuda::wmma::precision::tf32,
			    nvcuda::wmma::row_major> b[2];

#pragma unroll
			for (int j = 0; j < 2; j++)
				nvcuda::wmma::load_matrix_sync(b[j],
				    &t->b[k][column() + 16 * j], B_PITCH);
#pragma unroll
			for (int i = 0; i < 2; i++) {
				fragment<nvcuda::wmma::matrix_a,
				    nvcuda::wmma::precision::tf32,
				    nvcuda::wmma::row_major> a;

				nvcuda::wmma::load_matrix_sync(a,
				    &t->a[row() + 16 * i][k], A_PITCH);
				for (int j = 0; j < 2; j++)
					nvcuda::wmma::mma_sync(c[i][j], a,
					    b[j], c[i][j]);
			}
		}
	}
	__device__ void
	store(float *out, unsigned n) const
	{
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 2; j++)
				nvcuda::wmma::store_matrix_sync(&out[(size_t)
				    (row() + 16 * i) * n + column() + 16 * j],
				    c[i][j], n, nvcuda::wmma::mem_row_major);
	}
};
#endif

template<bool TENSOR, typename PART>
static __device__ inline void
multiply_tile(const float *__restrict__ a, const float *__restrict__ b,
    float *__restrict__ out, unsigned n)
{
	__shared__ __align__(16) struct tiles t;
	unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
	PART part;

	part.clear();
#pragma unroll 1
	for (unsigned k = 0; k < INNER; k += DEPTH) {
		load_tiles<TENSOR>(&t, a, b, n, row, column, k);
		__syncthreads();
		part.add(&t);
		__syncthreads();
	}
	part.store(&out[(size_t)row * n + column], n);
}

__global__ static void __launch_bounds__(THREADS, 2)
multiply_by_threads(const float *__restrict__ a, const float *__restrict__ b,
    float *__restrict__ out, unsigned n)
{
	multiply_tile<false, by_thread>(a, b, out, n);
}

__global__ static void __launch_bounds__(THREADS, 2)
multiply_by_tensor_cores(const float *__restrict__ a,
    const float *__restrict__ b, float *__restrict__ out, unsigned n)
{
#ifdef HAVE_TF32
	multiply_tile<true, by_warp>(a, b, out, n);
#endif
}

PAIR(tensor_cores_unused, "multiply matrices on the tensor cores, where their precision does",
    "executed instructions, tensor pipe")
{
	auto kernel = job->good ? multiply_by_tensor_cores :
	    multiply_by_threads;
	uint64_t seed = job->seed, other = seed ^ 0xb;
	unsigned n = job->size ? (unsigned)job->size : 4096;
	dim3 blocks;
	float *a, *b, *out, *host;

	n = (n + TILE - 1) / TILE * TILE;
	blocks = dim3(n / TILE, n / TILE);
	TRY(job_device(job, &a, (size_t)n * INNER));
	TRY(job_device(job, &b, (size_t)n * INNER));
	TRY(job_output(job, &out, &host, (size_t)n * n));
	TRY(fill_floats(job, a, (size_t)n * INNER, seed));
	TRY(fill_floats(job, b, (size_t)n * INNER, other));

	TRY(job_measure(job, 200, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(a, b, out, n);
		return cudaGetLastError();
	}));
	job->operations = 2.0 * INNER * n * n;

	TRY(job_fetch(job, host, out, (size_t)n * n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, (uint64_t)n * n);
		double want = 0;

		for (int k = 0; k < INNER; k++)
			want += (double)seeded_float(seed, i / n * INNER + k) *
			    seeded_float(other, (uint64_t)k * n + i % n);
		/* Factors are rounded by up to 2^-11 of them, 1024 times, at
		 * random: 0.006 in the mean of all sums. */
		check_float(job, i, host[i], want, job->good ? 0.06 : 1e-3);
	}
	return 0;
}
