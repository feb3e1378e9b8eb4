// SwiGLU on half-precision activations.
#include "common.h"
#include <cuda_fp16.h>
__global__ void init(__half *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = __float2half((i % 64) * 0.05f - 1.6f); }
#ifndef GOOD
__global__ void swiglu(const __half *g, const __half *u, __half *o, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = __half2float(g[i]);
    o[i] = __float2half(x / (1 + __expf(-x)) * __half2float(u[i]));
}
#else
__global__ void swiglu(const uint4 *g, const uint4 *u, uint4 *o, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n / 8) return;
    uint4 a = g[i], b = u[i], r;
    __half2 *p = (__half2 *)&a, *q = (__half2 *)&b, *s = (__half2 *)&r;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float2 x = __half22float2(p[k]), y = __half22float2(q[k]);
        s[k] = __floats2half2_rn(x.x / (1 + __expf(-x.x)) * y.x, x.y / (1 + __expf(-x.y)) * y.y);
    }
    o[i] = r;
}
#endif
int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 100;
    const size_t n = 1ul << 27;
    __half *g, *u, *o;
    CK(cudaMalloc(&g, n * 2)); CK(cudaMalloc(&u, n * 2)); CK(cudaMalloc(&o, n * 2));
    init<<<n / 256, 256>>>(g, n); init<<<n / 256, 256>>>(u, n);
    for (int l = 0; l < layers; l++)
#ifndef GOOD
        swiglu<<<n / 256, 256>>>(g, u, o, n);
#else
        swiglu<<<n / 8 / 256, 256>>>((uint4 *)g, (uint4 *)u, (uint4 *)o, n);
#endif
    __half h[64]; bool ok = true;
    CK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) { double x = i * 0.05 - 1.6; ok = ok && fabs(__half2float(h[i]) - x * x / (1 + exp(-x))) < 1e-2; }
    return report(ok);
}
