// Causal attention with a linear bias on the distance (ALiBi), 64 dimensions a head.
// usage: alibi [heads] [length] [times]
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define D 64
#define TK 32
#define THREADS 128
#define TRY(x) if ((x) != cudaSuccess) { printf("CUDA error in line %d\n", __LINE__); exit(1); }

#ifdef GOOD
typedef float real;
#define LIT(x) x##f
#else
typedef double real;
#define LIT(x) x
#endif

__host__ __device__ float rnd(unsigned i)
{
    i = (i ^ 61) ^ (i >> 16); i *= 9; i ^= i >> 4; i *= 0x27d4eb2d; i ^= i >> 15;
    return (i & 1023) / 512.0f - 1.0f;
}

__global__ void init(float *q, float *k, float *v, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        q[i] = rnd((unsigned)i);
        k[i] = rnd((unsigned)i + 77777777u);
        v[i] = rnd((unsigned)i + 155555555u);
    }
}

__global__ void __launch_bounds__(THREADS) attention(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v, float *__restrict__ o, int len, int heads)
{
    __shared__ float4 ks[TK][D / 4], vs[TK][D / 4];
    int head = blockIdx.y, row = blockIdx.x * THREADS + threadIdx.x;
    size_t base = (size_t)head * len * D;
    real slope = exp2(LIT(-8.0) * (head + 1) / heads);
    float4 x[D / 4], acc[D / 4];
    for (int d = 0; d < D / 4; d++) {
        x[d] = ((const float4 *)(q + base + (size_t)row * D))[d];
        acc[d] = make_float4(0, 0, 0, 0);
    }
    real m = LIT(-1e30), l = 0;
    for (int t0 = 0; t0 < (int)(blockIdx.x + 1) * THREADS; t0 += TK) {
        for (int e = threadIdx.x; e < TK * D / 4; e += THREADS) {
            ((float4 *)ks)[e] = ((const float4 *)(k + base + (size_t)t0 * D))[e];
            ((float4 *)vs)[e] = ((const float4 *)(v + base + (size_t)t0 * D))[e];
        }
        __syncthreads();
        for (int t = 0; t < TK && t0 + t <= row; t++) {
            float dot = 0;
#pragma unroll
            for (int d = 0; d < D / 4; d++) {
                float4 y = ks[t][d];
                dot += x[d].x * y.x + x[d].y * y.y + x[d].z * y.z + x[d].w * y.w;
            }
            real s = dot * LIT(0.125) - slope * (row - t0 - t);
            real n = s > m ? s : m;
            real c = exp(m - n), p = exp(s - n);
            l = l * c + p;
            m = n;
            float cf = c, pf = p;
#pragma unroll
            for (int d = 0; d < D / 4; d++) {
                float4 y = vs[t][d];
                acc[d].x = acc[d].x * cf + pf * y.x;
                acc[d].y = acc[d].y * cf + pf * y.y;
                acc[d].z = acc[d].z * cf + pf * y.z;
                acc[d].w = acc[d].w * cf + pf * y.w;
            }
        }
        __syncthreads();
    }
    float inv = LIT(1.0) / l;
    for (int d = 0; d < D / 4; d++)
        ((float4 *)(o + base + (size_t)row * D))[d] = make_float4(acc[d].x * inv, acc[d].y * inv, acc[d].z * inv, acc[d].w * inv);
}

int main(int argc, char **argv)
{
    int heads = argc > 1 ? atoi(argv[1]) : 128, len = argc > 2 ? atoi(argv[2]) : 2048, times = argc > 3 ? atoi(argv[3]) : 5;
    size_t n = (size_t)heads * len * D;
    float *q, *k, *v, *o, *h = (float *)malloc(n * sizeof(float));
    TRY(cudaMalloc(&q, n * sizeof(float)));
    TRY(cudaMalloc(&k, n * sizeof(float)));
    TRY(cudaMalloc(&v, n * sizeof(float)));
    TRY(cudaMalloc(&o, n * sizeof(float)));
    init<<<1024, 256>>>(q, k, v, n);
    for (int t = 0; t < times; t++) attention<<<dim3(len / THREADS, heads), THREADS>>>(q, k, v, o, len, heads);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(h, o, n * sizeof(float), cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int test = 0; test < 20; test++) {
        int head = test * 5 % heads, row = (test * 389 + 100) % len, dim = test * 3 % D;
        size_t base = (size_t)head * len * D;
        double l = 0, sum = 0, slope = exp2(-8.0 * (head + 1) / heads);
        for (int t = 0; t <= row; t++) {
            double s = 0;
            for (int d = 0; d < D; d++)
                s += (double)rnd((unsigned)(base + (size_t)row * D + d)) * rnd((unsigned)(base + (size_t)t * D + d) + 77777777u);
            double p = exp(s * 0.125 - slope * (row - t));
            l += p;
            sum += p * rnd((unsigned)(base + (size_t)t * D + dim) + 155555555u);
        }
        bad += !(fabs(sum / l - h[base + (size_t)row * D + dim]) < 1e-3);
    }
    printf("o[0] = %f, %d of 20 samples wrong\n", h[0], bad);
    return bad != 0;
}
