// Weight loading for inference: int8 weights with one scale per group of 128 to half.
#include "common.h"
#include <cuda_fp16.h>

#define GROUP 128

__global__ void makeWeights(signed char *q, float *scale, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    q[i] = (signed char)(h & 255);
    if (i % GROUP == 0) scale[i / GROUP] = 0.001f + (h >> 8 & 1023) * 1e-5f;
}

#ifdef GOOD
#define PER 8
__global__ void unpack(const signed char *__restrict__ q, const float *__restrict__ scale,
                       half *__restrict__ w, unsigned n)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * PER;
    if (i >= n) return;
    int2 raw = *(const int2 *)(q + i);
    float s = scale[i / GROUP];
    __align__(16) half2 out[PER / 2];
#pragma unroll
    for (int k = 0; k < PER / 2; k++) {
        int word = k < 2 ? raw.x : raw.y;
        signed char a = (signed char)(word >> (16 * (k & 1))), b = (signed char)(word >> (16 * (k & 1) + 8));
        out[k] = __floats2half2_rn(a * s, b * s);
    }
    *(uint4 *)(w + i) = *(const uint4 *)out;
}
#else
#define PER 1
__global__ void unpack(const signed char *__restrict__ q, const float *__restrict__ scale,
                       half *__restrict__ w, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    w[i] = __float2half_rn(q[i] * scale[i / GROUP]);
}
#endif

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 100;
    const unsigned n = 1u << 28;
    signed char *q;
    float *scale;
    half *w;
    CK(cudaMalloc(&q, n));
    CK(cudaMalloc(&scale, n / GROUP * 4));
    CK(cudaMalloc(&w, (size_t)n * 2));
    makeWeights<<<n / 256, 256>>>(q, scale, n);
    for (int l = 0; l < layers; l++) unpack<<<n / PER / 256, 256>>>(q, scale, w, n);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (unsigned at = 0; at < n; at += n / 16) {
        signed char hq[GROUP];
        half hw[GROUP];
        float s;
        CK(cudaMemcpy(hq, q + at, GROUP, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(hw, w + at, sizeof hw, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&s, scale + at / GROUP, 4, cudaMemcpyDeviceToHost));
        for (int k = 0; k < GROUP; k++) ok = ok && close_to(__half2float(hw[k]), hq[k] * s, 1e-3);
    }
    CK(cudaFree(q)); CK(cudaFree(scale)); CK(cudaFree(w));
    return report(ok);
}
