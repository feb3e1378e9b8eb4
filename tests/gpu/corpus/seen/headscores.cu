// Attention scores of a batch of heads: S = Q K^T / sqrt(d), d = 64, half inputs.
#include "common.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

#define HD 64
#define TILE 64

__host__ __device__ static inline float val(unsigned i)
{
    i ^= i >> 16; i *= 0x7feb352du; i ^= i >> 15; i *= 0x846ca68bu; i ^= i >> 16;
    return ((int)(i & 255) - 128) * (1.0f / 128.0f);
}
__global__ void fillHalf(half *p, unsigned n, unsigned salt)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = __float2half(val(i + salt));
}

// a block computes a 64 x 64 tile of the scores of one head
__global__ void __launch_bounds__(256) scores(const half *__restrict__ Q, const half *__restrict__ K,
                                              float *__restrict__ S, int T)
{
    const half *q = Q + ((size_t)blockIdx.z * T + blockIdx.y * TILE) * HD;
    const half *k = K + ((size_t)blockIdx.z * T + blockIdx.x * TILE) * HD;
    float *s = S + ((size_t)blockIdx.z * T + blockIdx.y * TILE) * T + blockIdx.x * TILE;
    const float scale = 0.125f;
#ifdef GOOD
    int w = threadIdx.x >> 5, r = w >> 1, c0 = (w & 1) * 2;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[j], 0.f);
    for (int d = 0; d < HD; d += 16) {
        wmma::load_matrix_sync(a, q + r * 16 * HD + d, HD);
        for (int j = 0; j < 2; j++) {
            wmma::load_matrix_sync(b, k + (c0 + j) * 16 * HD + d, HD);
            wmma::mma_sync(acc[j], a, b, acc[j]);
        }
    }
    for (int j = 0; j < 2; j++) {
        for (int e = 0; e < acc[j].num_elements; e++) acc[j].x[e] *= scale;
        wmma::store_matrix_sync(s + (size_t)r * 16 * T + (c0 + j) * 16, acc[j], T, wmma::mem_row_major);
    }
#else
    __shared__ float qs[HD][TILE + 4], ks[HD][TILE + 4];
    for (int i = threadIdx.x; i < TILE * HD; i += 256) {
        qs[i % HD][i / HD] = __half2float(q[i]);
        ks[i % HD][i / HD] = __half2float(k[i]);
    }
    __syncthreads();
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float acc[4][4] = {};
#pragma unroll 8
    for (int d = 0; d < HD; d++) {
        float4 a = *(const float4 *)&qs[d][ty * 4];
        float4 b = *(const float4 *)&ks[d][tx * 4];
        float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) acc[i][j] += av[i] * bv[j];
    }
    for (int i = 0; i < 4; i++)
        *(float4 *)&s[(size_t)(ty * 4 + i) * T + tx * 4] =
            make_float4(acc[i][0] * scale, acc[i][1] * scale, acc[i][2] * scale, acc[i][3] * scale);
#endif
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 60;
    const int T = 2048, heads = 32;
    const unsigned n = (unsigned)heads * T * HD;
    half *Q, *K;
    float *S;
    CK(cudaMalloc(&Q, n * 2));
    CK(cudaMalloc(&K, n * 2));
    CK(cudaMalloc(&S, (size_t)heads * T * T * 4));
    fillHalf<<<n / 256, 256>>>(Q, n, 0u);
    fillHalf<<<n / 256, 256>>>(K, n, 1u << 28);
    for (int l = 0; l < layers; l++) scores<<<dim3(T / TILE, T / TILE, heads), 256>>>(Q, K, S, T);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int t = 0; t < 200; t++) {
        unsigned h = t * 5 % heads, i = t * 733 % T, j = (t * 1217 + 3) % T;
        double want = 0;
        for (unsigned d = 0; d < HD; d++)
            want += val((h * T + i) * HD + d) * val((h * T + j) * HD + d + (1u << 28));
        float got;
        CK(cudaMemcpy(&got, S + ((size_t)h * T + i) * T + j, 4, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, want * 0.125, 1e-3);
    }
    CK(cudaFree(Q)); CK(cudaFree(K)); CK(cudaFree(S));
    return report(ok);
}
