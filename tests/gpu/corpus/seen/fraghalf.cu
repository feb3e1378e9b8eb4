/* C = A * B on tensor cores with the warp matrix functions, half in, float out.
 * A is stored by rows, B by columns.
 *
 * usage: fraghalf [repetitions] [size]
 */
#include <mma.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace nvcuda;

#define gpuCheck(x) do { cudaError_t r = (x); if (r != cudaSuccess) { \
    std::fprintf(stderr, "GPU error %s at line %d\n", cudaGetErrorString(r), __LINE__); std::exit(1); } } while (0)

static const int WM = 16, WN = 16, WK = 16;
#ifndef GOOD
static const int FM = 1, FN = 1;      // tiles of 16 x 16 that a warp computes
#else
static const int FM = 4, FN = 2;
#endif

__host__ __device__ inline float element(unsigned which, unsigned row, unsigned col)
{
    unsigned h = row * 2654435761u + col * 40503u + which * 97u;
    return (float)((int)(h >> 27) - 16) * 0.0625f;
}

__global__ void fill(half *a, half *b, int n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= (size_t)n * n) return;
    a[i] = __float2half(element(0, i / n, i % n));
    b[i] = __float2half(element(1, i % n, i / n));
}

__global__ void wmma_gemm(const half *a, const half *b, float *c, int n)
{
    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int warpN = blockIdx.y * blockDim.y + threadIdx.y;
    int row = warpM * WM * FM, col = warpN * WN * FN;
    if (row >= n || col >= n) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[FM];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb[FN];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[FM][FN];
    for (int i = 0; i < FM; i++)
        for (int j = 0; j < FN; j++) wmma::fill_fragment(acc[i][j], 0.0f);
    for (int k = 0; k < n; k += WK) {
#pragma unroll
        for (int i = 0; i < FM; i++) wmma::load_matrix_sync(fa[i], a + (size_t)(row + i * WM) * n + k, n);
#pragma unroll
        for (int j = 0; j < FN; j++) wmma::load_matrix_sync(fb[j], b + (size_t)(col + j * WN) * n + k, n);
#pragma unroll
        for (int i = 0; i < FM; i++)
#pragma unroll
            for (int j = 0; j < FN; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
    for (int i = 0; i < FM; i++)
        for (int j = 0; j < FN; j++)
            wmma::store_matrix_sync(c + (size_t)(row + i * WM) * n + col + j * WN, acc[i][j], n, wmma::mem_row_major);
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 20, n = argc > 2 ? atoi(argv[2]) : 4096;
    half *a, *b;
    float *c;
    gpuCheck(cudaMalloc(&a, sizeof(half) * n * n));
    gpuCheck(cudaMalloc(&b, sizeof(half) * n * n));
    gpuCheck(cudaMalloc(&c, sizeof(float) * n * n));
    fill<<<((size_t)n * n + 255) / 256, 256>>>(a, b, n);
    dim3 block(128, 4);
    dim3 grid((n + 4 * WM * FM - 1) / (4 * WM * FM), (n + 4 * WN * FN - 1) / (4 * WN * FN));
    for (int t = 0; t < times; t++) wmma_gemm<<<grid, block>>>(a, b, c, n);
    gpuCheck(cudaGetLastError());
    std::vector<float> h((size_t)n * n);
    gpuCheck(cudaMemcpy(h.data(), c, sizeof(float) * n * n, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int s = 0; s < 100; s++) {
        int i = (s * 7919) % n, j = (s * 104729) % n;
        double want = 0;
        for (int k = 0; k < n; k++) want += element(0, i, k) * element(1, k, j);
        double d = want - h[(size_t)i * n + j];
        if (d > 0.5 || d < -0.5) wrong++;
    }
    printf("c[1][2] = %g, %d wrong\n", h[n + 2], wrong);
    return wrong != 0;
}
