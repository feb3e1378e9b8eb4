// Batch statistics of an NCHW activation (training-mode batch norm): per channel the
// sum and the sum of squares over batch and picture, then mean and 1/std.
#include "common.h"

#ifndef NBATCH
#define NBATCH 64
#define HW (256 * 256)
#endif
#define NCH 32

static __host__ __device__ inline float activation(size_t k, int ch)
{
    unsigned u = (unsigned)k * 2654435761u;
    u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
    return ((u >> 8) * (1.0f / 16777216.0f) - 0.4f) * (1.0f + 0.1f * ch);
}

__global__ void activations(float *x, size_t n)
{
    size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k < n) x[k] = activation(k, (int)(k / HW % NCH));
}

__global__ void __launch_bounds__(1024) channel_sums(const float *__restrict__ x, float *sums, int batch, int hw)
{
    __shared__ float s1[32], s2[32];
    int c = blockIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    float a = 0.0f, q = 0.0f;
    for (int n = blockIdx.y; n < batch; n += gridDim.y) {
        const float *p = x + ((size_t)n * gridDim.x + c) * hw;
#pragma unroll 4
        for (int i = threadIdx.x; i < hw; i += 1024) {
            float v = p[i];
            a += v;
            q += v * v;
        }
    }
    for (int d = 16; d > 0; d >>= 1) {
        a += __shfl_down_sync(0xffffffffu, a, d);
        q += __shfl_down_sync(0xffffffffu, q, d);
    }
    if (lane == 0) { s1[w] = a; s2[w] = q; }
    __syncthreads();
    if (w == 0) {
        a = s1[lane];
        q = s2[lane];
        for (int d = 16; d > 0; d >>= 1) {
            a += __shfl_down_sync(0xffffffffu, a, d);
            q += __shfl_down_sync(0xffffffffu, q, d);
        }
        if (lane == 0) {
            atomicAdd(&sums[2 * c], a);
            atomicAdd(&sums[2 * c + 1], q);
        }
    }
}

__global__ void finish(float *sums, float2 *stat, float count)
{
    int c = threadIdx.x;
    float m = sums[2 * c] / count, var = sums[2 * c + 1] / count - m * m;
    stat[c] = make_float2(m, rsqrtf(var + 1e-5f));
    sums[2 * c] = 0.0f;
    sums[2 * c + 1] = 0.0f;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    size_t n = (size_t)NBATCH * NCH * HW;
    float *x, *sums;
    float2 *stat, got[NCH];
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&sums, 2 * NCH * sizeof(float)));
    CK(cudaMalloc(&stat, NCH * sizeof(float2)));
    CK(cudaMemset(sums, 0, 2 * NCH * sizeof(float)));
    activations<<<(unsigned)((n + 255) / 256), 256>>>(x, n);
    CK(cudaGetLastError());
#ifdef GOOD
    dim3 grid(NCH, NBATCH / 2);
#else
    dim3 grid(NCH);
#endif
    for (int r = 0; r < rounds; r++) {
        channel_sums<<<grid, 1024>>>(x, sums, NBATCH, HW);
        finish<<<1, NCH>>>(sums, stat, (float)NBATCH * HW);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, stat, sizeof got, cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int c : {0, NCH - 1}) {
        double a = 0, q = 0;
        for (int b = 0; b < NBATCH; b++)
            for (int i = 0; i < HW; i++) {
                double v = activation(((size_t)b * NCH + c) * HW + i, c);
                a += v;
                q += v * v;
            }
        double cnt = (double)NBATCH * HW, m = a / cnt, sd = sqrt(q / cnt - m * m + 1e-5);
        ok = ok && close_to(got[c].x, m, 1e-3) && close_to(got[c].y, 1.0 / sd, 1e-3);
    }
    CK(cudaFree(x)); CK(cudaFree(sums)); CK(cudaFree(stat));
    return report(ok);
}
