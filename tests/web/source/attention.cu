// One block a query row: scores, softmax, weighted sum of the values.
#include <cuda_runtime.h>
#include <math_constants.h>

#include "tile.cuh"
#include "reduce.cuh"

namespace attention {

struct Shape {
	int heads;
	int queries;
	int keys;
	int width; // of a head, at most 128
};

__host__ __device__ constexpr int
ceil_div(int a, int b)
{
	return (a + b - 1) / b;
}

// Where a head's row begins in memory.
__device__ inline const float *
row_of(const float *base, const Shape &s, int head, int row)
{
	return base + ((size_t)row * s.heads + head) * s.width;
}

#if 0
// The first version, kept to compare with: every thread reads its own key
// from global memory.
__global__ void
scores_naive(const float *q, const float *k, float *out, Shape s)
{
	int row = blockIdx.x;
	int head = blockIdx.y;

	for (int key = threadIdx.x; key < s.keys; key += blockDim.x) {
		float sum = 0.0f;
		for (int i = 0; i < s.width; i++)
			sum += row_of(q, s, head, row)[i] *
			    row_of(k, s, head, key)[i];
		out[key] = sum;
	}
}
#endif

/*
 * scores:  keys x 1 of this row, in shared memory
 * weights: the same after the softmax
 */
template <int Width, int Tile>
__global__ void __launch_bounds__(128)
attention_forward(const float *__restrict__ q, const float *__restrict__ k,
    const float *__restrict__ v, const unsigned char *__restrict__ mask,
    float *__restrict__ out, Shape s)
{
	extern __shared__ float scores[];
	__shared__ float tile[Tile][Width];
	__shared__ float query[Width];
	const int row = blockIdx.x;
	const int head = blockIdx.y;
	const float scale = rsqrtf((float)s.width);
	float highest = -CUDART_INF_F;

	for (int i = threadIdx.x; i < Width; i += blockDim.x)
		query[i] = row_of(q, s, head, row)[i];
	__syncthreads();

	for (int first = 0; first < s.keys; first += Tile) {
		load_tile<Width, Tile>(tile, k, first, s.heads, head);
		__syncthreads();
		for (int j = threadIdx.x; j < Tile; j += blockDim.x) {
			float sum = 0.0f;
			for (int i = 0; i < Width; i++)
				sum += query[i] * tile[j][i];
			if (mask[row * s.keys + first + j] != 0)
				sum = -CUDART_INF_F;
			else
				sum *= scale;
			scores[first + j] = sum;
			highest = fmaxf(highest, sum);
		}
		__syncthreads();
	}

	highest = block_max(highest);
	float total = 0.0f;
	for (int j = threadIdx.x; j < s.keys; j += blockDim.x) {
		float weight = expf(scores[j] - highest);
		scores[j] = weight;
		total += weight;
	}
	total = block_sum(total);

	for (int i = threadIdx.x; i < Width; i += blockDim.x) {
		float sum = 0.0f;
		for (int j = 0; j < s.keys; j++)
			sum += scores[j] * row_of(v, s, head, j)[i];
		out[((size_t)row * s.heads + head) * Width + i] = sum / total;
	}
}

} // namespace attention
