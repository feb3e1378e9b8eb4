/*
 * Use an operand of the tensor cores several times once it is in a register.
 *
 * A product of matrices of half precision, whose tiles lie in memory in the order in
 * which the tensor cores take them. A warp makes one tile of the result, of 16 × 8
 * (bad): for each product of two tiles it loads both, and the caches deliver them to
 * every warp again. Or it makes 4 × 4 tiles side by side (good): 8 tiles loaded for 16
 * products.
 *
 * The only difference is how many tiles a warp makes.
 *
 * Rule: tensor-operands-reloaded. Metric that moves: global load instructions, four
 * times less; the tensor pipe's utilisation.
 *
 *   cudadvise run --level source cudadvise-kernels tensor-operands-reloaded \
 *     --variant bad
 *   ncu --metrics smsp__inst_executed_op_global_ld.sum,\
 *     sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active \
 *     cudadvise-kernels tensor-operands-reloaded --variant bad --once
 *
 * --size: rows and columns of the result, rounded up to a multiple of 256 (default
 * 4096).
 */
#include <cuda_fp16.h>

#include "harness.h"
#include "pairs.h"

#define LANES 32
#define TILE_M 16
#define TILE_N 8
#define TILE_K 16
#define DEPTH 2048		/* length of the sums */
#define WARPS_M 4		/* of a block */
#define WARPS_N 4
#define MANY 4			/* tiles of a warp, each way */

/* Small integers: exact in half precision, and so are their sums. */
static __host__ __device__ inline int
element(uint64_t seed, uint64_t row, uint64_t column)
{
	return (int)(seeded(seed, row * DEPTH + column) % 5) - 2;
}

/* Two elements side by side along the sum. */
static __device__ inline uint32_t
two(uint64_t seed, uint64_t row, uint64_t column)
{
	__half2 v = __halves2half2(__int2half_rn(element(seed, row, column)),
	    __int2half_rn(element(seed, row, column + 1)));

	return *(uint32_t *)&v;
}

/* A tile of the left factor is 16 bytes a lane, of the right one 8: of both what
 * mma.m16n8k8 takes of them in its first and its second half of the sum. */
__global__ static void
fill_left(uint4 *left, size_t tiles, uint64_t seed)
{
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	size_t tile = t / LANES, lane = t % LANES;
	size_t row = tile / (DEPTH / TILE_K) * TILE_M + lane / 4;
	size_t column = tile % (DEPTH / TILE_K) * TILE_K + lane % 4 * 2;

	if (tile < tiles)
		left[t] = make_uint4(two(seed, row, column),
		    two(seed, row + 8, column), two(seed, row, column + 8),
		    two(seed, row + 8, column + 8));
}

__global__ static void
fill_right(uint2 *right, size_t tiles, uint64_t seed)
{
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	size_t tile = t / LANES, lane = t % LANES;
	size_t row = tile / (DEPTH / TILE_K) * TILE_N + lane / 4;
	size_t column = tile % (DEPTH / TILE_K) * TILE_K + lane % 4 * 2;

	if (tile < tiles)
		right[t] = make_uint2(two(seed, row, column),
		    two(seed, row, column + 8));
}

static __device__ inline void
multiply(float sum[4], uint32_t a0, uint32_t a1, uint32_t b)
{
	asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " /* HERE */
	    "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
	    : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
	    : "r"(a0), "r"(a1), "r"(b));
}

template<int TILES>
__global__ static void __launch_bounds__(LANES * WARPS_M * WARPS_N)
multiply_tiles(const uint4 *__restrict__ left, const uint2 *__restrict__ right,
    float *__restrict__ out, size_t width, int depth)
{
	unsigned lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
	size_t m = ((size_t)blockIdx.y * WARPS_M + warp / WARPS_N) * TILES;
	size_t n = ((size_t)blockIdx.x * WARPS_N + warp % WARPS_N) * TILES;
	float sum[TILES][TILES][4] = { 0 };

	for (int k = 0; k < depth; k++) {
		uint4 a[TILES];
		uint2 b[TILES];

#pragma unroll
		for (int i = 0; i < TILES; i++) {
			a[i] = left[((m + i) * depth + k) * LANES + lane]; /* HERE */
			b[i] = right[((n + i) * depth + k) * LANES + lane]; /* HERE */
		}
#pragma unroll
		for (int i = 0; i < TILES; i++)
#pragma unroll
			for (int j = 0; j < TILES; j++) {
				multiply(sum[i][j], a[i].x, a[i].y, b[j].x);
				multiply(sum[i][j], a[i].z, a[i].w, b[j].y);
			}
	}
#pragma unroll
	for (int i = 0; i < TILES; i++)
#pragma unroll
		for (int j = 0; j < TILES; j++)
#pragma unroll
			for (int h = 0; h < 2; h++)
				*(float2 *)&out[((m + i) * TILE_M + h * 8 +
				    lane / 4) * width + (n + j) * TILE_N +
				    lane % 4 * 2] = make_float2(
				    sum[i][j][2 * h], sum[i][j][2 * h + 1]);
}

PAIR(tensor_operands_reloaded,
    "use an operand of the tensor cores several times",
    "global load instructions, tensor pipe utilisation")
{
	auto kernel = job->good ? multiply_tiles<MANY> : multiply_tiles<1>;
	const size_t round = 256, depth = DEPTH / TILE_K;
	size_t size = job->size ? job->size : 4096, tiles = job->good ? MANY : 1;
	uint4 *left;
	uint2 *right;
	float *out, *host;

	size = (size + round - 1) / round * round;
	TRY(job_device(job, &left, size / TILE_M * depth * LANES));
	TRY(job_device(job, &right, size / TILE_N * depth * LANES));
	TRY(job_output(job, &out, &host, size * size));
	fill_left<<<(unsigned)(size / TILE_M * depth / 8), 8 * LANES, 0,
	    job->stream>>>(left, size / TILE_M * depth, job->seed);
	TRY(cudaGetLastError());
	fill_right<<<(unsigned)(size / TILE_N * depth / 8), 8 * LANES, 0,
	    job->stream>>>(right, size / TILE_N * depth, ~job->seed);
	TRY(cudaGetLastError());

	TRY(job_measure(job, 300, [&] {
		dim3 grid((unsigned)(size / (TILE_N * WARPS_N * tiles)),
		    (unsigned)(size / (TILE_M * WARPS_M * tiles)));

		kernel<<<grid, LANES * WARPS_M * WARPS_N, 0, job->stream>>>(
		    left, right, out, size, (int)depth);
		return cudaGetLastError();
	}));
	job->operations = 2.0 * size * size * DEPTH;

	TRY(job_fetch(job, host, out, size * size));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, size * size);
		double want = 0;

		for (int k = 0; k < DEPTH; k++)
			want += element(job->seed, i / size, k) *
			    element(~job->seed, i % size, k);
		check_float(job, i, host[i], want, 0);
	}
	return 0;
}
