// Bilingual lexicon induction: for windows of the source vocabulary, the dot
// product of every source vector with every target vector, then the best target.
#include "common.h"
#include <cuda_fp16.h>
#ifdef GOOD
#include <mma.h>
using namespace nvcuda;
#endif

const int SRC = 16384, WIN = 8192, TGT = 8192, DIM = 1024, TILE = 128, KS = 32;

__host__ __device__ inline half component(unsigned i)
{
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return __float2half(((i ^ (i >> 16)) >> 8) * (1.0f / 16777216.0f) - 0.5f);
}

__global__ void embed(half *vec, unsigned first)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    vec[i] = component(first + i);
}

#ifdef GOOD
__global__ void __launch_bounds__(256, 2)
gloss_scores(const half *src, const half *tgt, float *score)
{
    __shared__ __align__(32) half sa[TILE][KS + 8], sb[TILE][KS + 8];
    const int t = threadIdx.x, w = t / 32, wr = (w / 4) * 64, wc = (w % 4) * 32;
    const size_t r0 = (size_t)blockIdx.y * TILE, c0 = (size_t)blockIdx.x * TILE;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4][2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
    for (int k0 = 0; k0 < DIM; k0 += KS) {
        for (int h = 0; h < 2; h++) {
            const int row = t / 4 + h * 64, ch = t % 4;
            *(uint4 *)&sa[row][ch * 8] = *(const uint4 *)(src + (r0 + row) * DIM + k0 + ch * 8);
            *(uint4 *)&sb[row][ch * 8] = *(const uint4 *)(tgt + (c0 + row) * DIM + k0 + ch * 8);
        }
        __syncthreads();
        for (int k = 0; k < KS; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb[2];
            for (int i = 0; i < 4; i++) wmma::load_matrix_sync(fa[i], &sa[wr + i * 16][k], KS + 8);
            for (int j = 0; j < 2; j++) wmma::load_matrix_sync(fb[j], &sb[wc + j * 16][k], KS + 8);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(score + (r0 + wr + i * 16) * TGT + c0 + wc + j * 16,
                                    acc[i][j], TGT, wmma::mem_row_major);
}
#else
__device__ inline void stage(float *tile, const half *g, int row, int ch)
{
    const uint4 raw = *(const uint4 *)g;
    const half2 *h = (const half2 *)&raw;
    for (int j = 0; j < 4; j++) {
        const float2 f = __half22float2(h[j]);
        tile[(ch * 8 + 2 * j) * TILE + (row ^ (ch * 8))] = f.x;
        tile[(ch * 8 + 2 * j + 1) * TILE + (row ^ (ch * 8))] = f.y;
    }
}

__global__ void __launch_bounds__(256, 2)
gloss_scores(const half *src, const half *tgt, float *score)
{
    __shared__ __align__(16) float sa[KS * TILE], sb[KS * TILE];
    const int t = threadIdx.x, ty = t / 16, tx = t % 16;
    const size_t r0 = (size_t)blockIdx.y * TILE, c0 = (size_t)blockIdx.x * TILE;
    float acc[8][8] = {};
    for (int k0 = 0; k0 < DIM; k0 += KS) {
        for (int h = 0; h < 2; h++) {
            const int row = t / 4 + h * 64, ch = t % 4;
            stage(sa, src + (r0 + row) * DIM + k0 + ch * 8, row, ch);
            stage(sb, tgt + (c0 + row) * DIM + k0 + ch * 8, row, ch);
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < KS; k++) {
            const int sw = (k >> 3) * 8;
            const float4 a0 = *(float4 *)&sa[k * TILE + ((ty * 4) ^ sw)];
            const float4 a1 = *(float4 *)&sa[k * TILE + ((64 + ty * 4) ^ sw)];
            const float4 b0 = *(float4 *)&sb[k * TILE + ((tx * 4) ^ sw)];
            const float4 b1 = *(float4 *)&sb[k * TILE + ((64 + tx * 4) ^ sw)];
            const float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
            const float b[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++) {
        float *out = score + (r0 + (i / 4) * 64 + ty * 4 + i % 4) * TGT + c0;
        *(float4 *)(out + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *(float4 *)(out + 64 + tx * 4) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
    }
}
#endif

__global__ void best_gloss(const float *score, float *best)
{
    const int word = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float4 *row = (const float4 *)(score + (size_t)word * TGT);
    float m = -1e30f;
#pragma unroll 8
    for (int j = lane; j < TGT / 4; j += 32) {
        const float4 s = row[j];
        m = fmaxf(fmaxf(m, fmaxf(s.x, s.y)), fmaxf(s.z, s.w));
    }
    for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
    if (lane == 0) best[word] = m;
}

int main(int argc, char **argv)
{
    const int windows = argc > 1 ? atoi(argv[1]) : 8;
    half *dSrc, *dTgt; float *dScore, *dBest;
    CK(cudaMalloc(&dSrc, (size_t)SRC * DIM * sizeof(half)));
    CK(cudaMalloc(&dTgt, (size_t)TGT * DIM * sizeof(half)));
    CK(cudaMalloc(&dScore, (size_t)WIN * TGT * sizeof(float)));
    CK(cudaMalloc(&dBest, (size_t)windows * WIN * sizeof(float)));
    embed<<<SRC * DIM / 256, 256>>>(dSrc, 0);
    embed<<<TGT * DIM / 256, 256>>>(dTgt, SRC * DIM);
    for (int b = 0; b < windows; b++) {
        gloss_scores<<<dim3(TGT / TILE, WIN / TILE), 256>>>(dSrc + (size_t)(b % 9) * 896 * DIM, dTgt, dScore);
        best_gloss<<<WIN / 8, 256>>>(dScore, dBest + (size_t)b * WIN);
    }
    CK(cudaGetLastError());
    std::vector<float> best((size_t)windows * WIN);
    CK(cudaMemcpy(best.data(), dBest, best.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    float v[DIM];
    for (int c = 0; c < 3; c++) {
        const int b = c % windows, word = 100 + c * 2111;
        for (int k = 0; k < DIM; k++) v[k] = __half2float(component((unsigned)((b % 9) * 896 + word) * DIM + k));
        float ref = -1e30f;
        for (int n = 0; n < TGT; n++) {
            float d = 0;
            for (int k = 0; k < DIM; k++) d += v[k] * __half2float(component((unsigned)(SRC + n) * DIM + k));
            ref = std::max(ref, d);
        }
        ok = ok && close_to(best[(size_t)b * WIN + word], ref, 1e-3);
    }
    return report(ok);
}
