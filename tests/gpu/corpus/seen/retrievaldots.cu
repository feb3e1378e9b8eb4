// Two-tower retrieval: scores of all candidate items for a batch of users,
// S = U V^T with half-precision embeddings and float accumulation.
#include "common.h"
#include <cuda_fp16.h>
#include <mma.h>

const int USERS = 4096, ITEMS = 16384, DIM = 256;

__host__ __device__ inline float embed(unsigned r, unsigned d, unsigned salt)
{
    unsigned h = r * 2654435761u + d * 0x9e3779b9u + salt;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    return ((int)(h & 0xff) - 128) / 512.0f;          // exact in half
}

__global__ void lookup(half *e, int rows, unsigned salt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * DIM) e[i] = __float2half(embed(i / DIM, i % DIM, salt));
}

#ifdef GOOD
using namespace nvcuda;
const int KB = 32, LD = KB + 8;
__global__ void __launch_bounds__(256) score(const half *__restrict__ u, const half *__restrict__ v, float *__restrict__ s)
{
    __shared__ __align__(32) half su[64 * LD], sv[64 * LD];
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int warp = threadIdx.x / 32, wr = warp % 4, wc = warp / 4;
    int lr = threadIdx.x / 4, lc = threadIdx.x % 4 * 8;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
    wmma::fill_fragment(acc[0], 0.0f);
    wmma::fill_fragment(acc[1], 0.0f);
    for (int k0 = 0; k0 < DIM; k0 += KB) {
        *reinterpret_cast<uint4 *>(&su[lr * LD + lc]) = *reinterpret_cast<const uint4 *>(&u[(size_t)(row0 + lr) * DIM + k0 + lc]);
        *reinterpret_cast<uint4 *>(&sv[lr * LD + lc]) = *reinterpret_cast<const uint4 *>(&v[(size_t)(col0 + lr) * DIM + k0 + lc]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < KB; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
            wmma::load_matrix_sync(fa, su + wr * 16 * LD + k, LD);
#pragma unroll
            for (int j = 0; j < 2; j++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
                wmma::load_matrix_sync(fb, sv + (wc * 32 + j * 16) * LD + k, LD);
                wmma::mma_sync(acc[j], fa, fb, acc[j]);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 2; j++)
        wmma::store_matrix_sync(s + (size_t)(row0 + wr * 16) * ITEMS + col0 + wc * 32 + j * 16, acc[j], ITEMS, wmma::mem_row_major);
}
#else
const int KB = 16;
__global__ void __launch_bounds__(256) score(const half *__restrict__ u, const half *__restrict__ v, float *__restrict__ s)
{
    __shared__ __align__(16) float su[KB][64 + 4], sv[KB][64 + 4];
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < DIM; k0 += KB) {
        for (int e = threadIdx.x; e < 64 * KB / 2; e += 256) {
            int r = e / (KB / 2), k = e % (KB / 2) * 2;
            float2 a = __half22float2(*reinterpret_cast<const half2 *>(&u[(size_t)(row0 + r) * DIM + k0 + k]));
            float2 b = __half22float2(*reinterpret_cast<const half2 *>(&v[(size_t)(col0 + r) * DIM + k0 + k]));
            su[k][r] = a.x; su[k + 1][r] = a.y;
            sv[k][r] = b.x; sv[k + 1][r] = b.y;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < KB; k++) {
            float4 a = *reinterpret_cast<float4 *>(&su[k][ty * 4]), b = *reinterpret_cast<float4 *>(&sv[k][tx * 4]);
            float x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++) acc[p][q] += x[p] * y[q];
        }
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        *reinterpret_cast<float4 *>(&s[(size_t)(row0 + ty * 4 + p) * ITEMS + col0 + tx * 4]) =
            make_float4(acc[p][0], acc[p][1], acc[p][2], acc[p][3]);
}
#endif

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 40;
    half *u, *v;
    float *s;
    CK(cudaMalloc(&u, (size_t)USERS * DIM * sizeof(half)));
    CK(cudaMalloc(&v, (size_t)ITEMS * DIM * sizeof(half)));
    CK(cudaMalloc(&s, (size_t)USERS * ITEMS * sizeof(float)));
    lookup<<<USERS * DIM / 256, 256>>>(u, USERS, 1u);
    lookup<<<ITEMS * DIM / 256, 256>>>(v, ITEMS, 77u);
    CK(cudaGetLastError());
    for (int b = 0; b < batches; b++)
        score<<<dim3(ITEMS / 64, USERS / 64), 256>>>(u, v, s);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    unsigned seed = 21;
    for (int q = 0; q < 60; q++) {
        int i = (lcg(seed) >> 8) % USERS, j = (lcg(seed) >> 8) % ITEMS;
        double w = 0;
        for (int d = 0; d < DIM; d++) w += (double)embed(i, d, 1u) * embed(j, d, 77u);
        float got;
        CK(cudaMemcpy(&got, s + (size_t)i * ITEMS + j, 4, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, w, 1e-3);
    }
    CK(cudaFree(u)); CK(cudaFree(v)); CK(cudaFree(s));
    return report(ok);
}
