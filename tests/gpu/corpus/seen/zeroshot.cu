// Zero-shot image tagging: similarity logits between half-precision image and text embeddings,
// logits = scale * I * T^T, accumulated in float.
#include "common.h"
#include <cuda_fp16.h>
#include <mma.h>

static const int NI = 8192, NTXT = 4096, K = 512;

static __host__ __device__ float embed(unsigned side, int r, int k)
{
    unsigned h = (side * 77777777u + (unsigned)(r * K + k)) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)((int)(h & 255u) - 128) * (1.0f / 1024.0f);       // exact in half
}
__global__ void encode(half *e, unsigned side)
{
    int k = threadIdx.x, r = blockIdx.x;
    e[(size_t)r * K + k] = __float2half(embed(side, r, k));
}

static const int KT = 32, LD = KT + 8;

__global__ void __launch_bounds__(256) logits64(const half *__restrict__ I, const half *__restrict__ T, float *out, float scale)
{
    __shared__ __align__(32) half si[64 * LD];
    __shared__ __align__(32) half st[64 * LD];
    int tid = threadIdx.x, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
#ifdef GOOD
    using namespace nvcuda;
    int warp = tid / 32, wr = warp / 4, wc = warp % 4;              // each warp: 32 x 16 of the tile
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2];
    wmma::fill_fragment(c[0], 0.0f);
    wmma::fill_fragment(c[1], 0.0f);
#else
    int tx = tid % 16, ty = tid / 16;
    float c[4][4] = {};
#endif
    for (int k0 = 0; k0 < K; k0 += KT) {
        // 64 rows of 32 halves = 4 x uint4 each; one uint4 per thread and matrix
        int r = tid / 4, q = tid % 4;
        *reinterpret_cast<uint4 *>(&si[r * LD + q * 8]) = *reinterpret_cast<const uint4 *>(&I[(size_t)(row0 + r) * K + k0 + q * 8]);
        *reinterpret_cast<uint4 *>(&st[r * LD + q * 8]) = *reinterpret_cast<const uint4 *>(&T[(size_t)(col0 + r) * K + k0 + q * 8]);
        __syncthreads();
#ifdef GOOD
        for (int kk = 0; kk < KT; kk += 16) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
            wmma::load_matrix_sync(b, &st[wc * 16 * LD + kk], LD);
            for (int m = 0; m < 2; m++) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
                wmma::load_matrix_sync(a, &si[(wr * 32 + m * 16) * LD + kk], LD);
                wmma::mma_sync(c[m], a, b, c[m]);
            }
        }
#else
#pragma unroll 4
        for (int kk = 0; kk < KT; kk += 2) {
            float2 a[4], b[4];
            for (int i = 0; i < 4; i++) {
                a[i] = __half22float2(*reinterpret_cast<half2 *>(&si[(ty + 16 * i) * LD + kk]));
                b[i] = __half22float2(*reinterpret_cast<half2 *>(&st[(tx + 16 * i) * LD + kk]));
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) c[i][j] += a[i].x * b[j].x + a[i].y * b[j].y;
        }
#endif
        __syncthreads();
    }
#ifdef GOOD
    for (int m = 0; m < 2; m++) {
        for (int e = 0; e < c[m].num_elements; e++) c[m].x[e] *= scale;
        wmma::store_matrix_sync(out + (size_t)(row0 + wr * 32 + m * 16) * NTXT + col0 + wc * 16, c[m], NTXT, wmma::mem_row_major);
    }
#else
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out[(size_t)(row0 + ty + 16 * i) * NTXT + col0 + tx + 16 * j] = scale * c[i][j];
#endif
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 150;
    half *I, *T;
    float *out;
    CK(cudaMalloc(&I, (size_t)NI * K * sizeof(half)));
    CK(cudaMalloc(&T, (size_t)NTXT * K * sizeof(half)));
    CK(cudaMalloc(&out, (size_t)NI * NTXT * sizeof(float)));
    encode<<<NI, K>>>(I, 1);
    encode<<<NTXT, K>>>(T, 2);
    CK(cudaGetLastError());
    for (int b = 0; b < batches; b++)
        logits64<<<dim3(NTXT / 64, NI / 64), 256>>>(I, T, out, 14.3f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int p = 0; p < 12; p++) {
        int r = (p * 977 + 5) % NI, t = (p * 1579 + 63) % NTXT;
        double s = 0;
        for (int k = 0; k < K; k++) s += (double)embed(1, r, k) * embed(2, t, k);
        float v;
        CK(cudaMemcpy(&v, out + (size_t)r * NTXT + t, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, 14.3 * s, 1e-3);
    }
    cudaFree(I); cudaFree(T); cudaFree(out);
    return report(ok);
}
