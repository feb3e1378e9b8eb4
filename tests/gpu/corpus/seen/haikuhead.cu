// Attention of a small language model, all heads at once in one pass over the keys: a warp works on
// two queries, a lane scores one key of the tile, then every lane sums two columns of the values.
#include "common.h"

#ifndef HEADS
#define HEADS 32
#define LENGTH 2048
#endif
const int DIM = 64, TILE = 32, WARPS = 8, PER = 2, ROWS = WARPS * PER;
#ifdef GOOD
const int KEYROW = DIM + 4;
#else
const int KEYROW = DIM;
#endif

__device__ inline float warp_max(float v)
{
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

__device__ inline float warp_sum(float v)
{
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void __launch_bounds__(WARPS * 32) attend(const float *__restrict__ q, const float *__restrict__ k,
                                                     const float *__restrict__ v, float *__restrict__ out, float scale)
{
    __shared__ __align__(16) float qs[ROWS][DIM];
    __shared__ __align__(16) float ks[TILE][KEYROW];
    __shared__ __align__(16) float vs[TILE][DIM];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t head = (size_t)blockIdx.y * LENGTH * DIM, first = head + (size_t)blockIdx.x * ROWS * DIM;
    for (int e = threadIdx.x; e < ROWS * DIM; e += WARPS * 32) qs[e / DIM][e % DIM] = q[first + e] * scale;

    float top[PER], norm[PER], acc[PER][2];
#pragma unroll
    for (int r = 0; r < PER; r++) {
        top[r] = -1e30f;
        norm[r] = acc[r][0] = acc[r][1] = 0;
    }
    for (int t = 0; t < LENGTH; t += TILE) {
        __syncthreads();
        for (int e = threadIdx.x; e < TILE * DIM; e += WARPS * 32) {
            ks[e / DIM][e % DIM] = k[head + (size_t)t * DIM + e];
            vs[e / DIM][e % DIM] = v[head + (size_t)t * DIM + e];
        }
        __syncthreads();
        float s[PER] = {};
#pragma unroll
        for (int d = 0; d < DIM; d += 4) {
            float4 key = *(const float4 *)&ks[lane][d];
#pragma unroll
            for (int r = 0; r < PER; r++) {
                float4 ask = *(const float4 *)&qs[warp * PER + r][d];
                s[r] += ask.x * key.x + ask.y * key.y + ask.z * key.z + ask.w * key.w;
            }
        }
#pragma unroll
        for (int r = 0; r < PER; r++) {
            float high = fmaxf(top[r], warp_max(s[r])), fade = __expf(top[r] - high);
            s[r] = __expf(s[r] - high);
            norm[r] = norm[r] * fade + s[r];
            acc[r][0] *= fade;
            acc[r][1] *= fade;
            top[r] = high;
        }
#pragma unroll 8
        for (int j = 0; j < TILE; j++) {
            float a = vs[j][lane], b = vs[j][lane + 32];
#pragma unroll
            for (int r = 0; r < PER; r++) {
                float w = __shfl_sync(0xffffffffu, s[r], j);
                acc[r][0] += w * a;
                acc[r][1] += w * b;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < PER; r++) {
        float inv = 1.0f / warp_sum(norm[r]);
        float *o = out + first + (warp * PER + r) * DIM;
        o[lane] = acc[r][0] * inv;
        o[lane + 32] = acc[r][1] * inv;
    }
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 300;
    const size_t n = (size_t)HEADS * LENGTH * DIM;
    const float scale = 1.0f / sqrtf((float)DIM);
    std::vector<float> q(n), k(n), v(n), o(n);
    unsigned seed = 575;
    for (size_t i = 0; i < n; i++) {
        q[i] = 4.0f * (frand(seed) - 0.5f);
        k[i] = 4.0f * (frand(seed) - 0.5f);
        v[i] = 2.0f * (frand(seed) - 0.5f);
    }
    float *dq, *dk, *dv, *dout;
    CK(cudaMalloc(&dq, n * sizeof(float)));
    CK(cudaMalloc(&dk, n * sizeof(float)));
    CK(cudaMalloc(&dv, n * sizeof(float)));
    CK(cudaMalloc(&dout, n * sizeof(float)));
    CK(cudaMemcpy(dq, q.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dk, k.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dv, v.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    for (int l = 0; l < layers; l++) attend<<<dim3(LENGTH / ROWS, HEADS), WARPS * 32>>>(dq, dk, dv, dout, scale);
    CK(cudaGetLastError());
    CK(cudaMemcpy(o.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    std::vector<double> w(LENGTH);
    for (int t = 0; t < 60; t++) {
        int h = (int)(frand(seed) * HEADS), r = (int)(frand(seed) * LENGTH);
        const float *qq = &q[((size_t)h * LENGTH + r) * DIM], *kk = &k[(size_t)h * LENGTH * DIM], *vv = &v[(size_t)h * LENGTH * DIM];
        double high = -1e30, sum = 0;
        for (int j = 0; j < LENGTH; j++) {
            double s = 0;
            for (int d = 0; d < DIM; d++) s += (double)qq[d] * kk[(size_t)j * DIM + d];
            w[j] = s * scale;
            high = std::max(high, w[j]);
        }
        for (auto &x : w) sum += x = exp(x - high);
        for (int d = 0; d < DIM; d++) {
            double s = 0;
            for (int j = 0; j < LENGTH; j++) s += w[j] * vv[(size_t)j * DIM + d];
            ok = ok && close_to(o[((size_t)h * LENGTH + r) * DIM + d], s / sum, 1e-3);
        }
    }
    CK(cudaFree(dq)); CK(cudaFree(dk)); CK(cudaFree(dv)); CK(cudaFree(dout));
    return report(ok);
}
