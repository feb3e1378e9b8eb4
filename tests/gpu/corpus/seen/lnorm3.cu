// Layer normalisation of activations, a token a row.
#include "common.h"
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = (i % 101) * 0.02f; }
__device__ float block_sum(float v)
{
    __shared__ float w[8];
    __syncthreads();
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < 8; i++) v += w[i];
    return v;
}
#ifndef GOOD
__global__ void mean_kernel(const float *x, float *mean, int d)
{
    float s = 0;
    for (int i = threadIdx.x; i < d; i += 256) s += x[(size_t)blockIdx.x * d + i];
    s = block_sum(s);
    if (threadIdx.x == 0) mean[blockIdx.x] = s / d;
}
__global__ void center_kernel(const float *x, const float *mean, float *c, int d)
{
    for (int i = threadIdx.x; i < d; i += 256) c[(size_t)blockIdx.x * d + i] = x[(size_t)blockIdx.x * d + i] - mean[blockIdx.x];
}
__global__ void var_kernel(const float *c, float *var, int d)
{
    float s = 0;
    for (int i = threadIdx.x; i < d; i += 256) { float v = c[(size_t)blockIdx.x * d + i]; s += v * v; }
    s = block_sum(s);
    if (threadIdx.x == 0) var[blockIdx.x] = s / d;
}
__global__ void scale_kernel(const float *c, const float *var, const float *g, const float *b, float *y, int d)
{
    float r = rsqrtf(var[blockIdx.x] + 1e-5f);
    for (int i = threadIdx.x; i < d; i += 256) y[(size_t)blockIdx.x * d + i] = c[(size_t)blockIdx.x * d + i] * r * g[i] + b[i];
}
#else
__global__ void layer_norm(const float *x, const float *g, const float *b, float *y, int d)
{
    float v[4], s = 0, q = 0;
    for (int k = 0; k < 4; k++) { v[k] = x[(size_t)blockIdx.x * d + k * 256 + threadIdx.x]; s += v[k]; }
    s = block_sum(s) / d;
    for (int k = 0; k < 4; k++) { v[k] -= s; q += v[k] * v[k]; }
    float r = rsqrtf(block_sum(q) / d + 1e-5f);
    for (int k = 0; k < 4; k++) { int i = k * 256 + threadIdx.x; y[(size_t)blockIdx.x * d + i] = v[k] * r * g[i] + b[i]; }
}
#endif
int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 48;
    const int tokens = 65536, d = 1024;
    size_t n = (size_t)tokens * d;
    float *x, *y, *c, *m, *v, *g, *b;
    CK(cudaMalloc(&x, n * 4)); CK(cudaMalloc(&y, n * 4)); CK(cudaMalloc(&c, n * 4));
    CK(cudaMalloc(&m, tokens * 4)); CK(cudaMalloc(&v, tokens * 4)); CK(cudaMalloc(&g, d * 4)); CK(cudaMalloc(&b, d * 4));
    init<<<n / 256, 256>>>(x, n);
    std::vector<float> one(d, 1.0f), zero(d, 0.0f);
    CK(cudaMemcpy(g, one.data(), d * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(b, zero.data(), d * 4, cudaMemcpyHostToDevice));
    for (int l = 0; l < layers; l++) {
#ifndef GOOD
        mean_kernel<<<tokens, 256>>>(x, m, d);
        center_kernel<<<tokens, 256>>>(x, m, c, d);
        var_kernel<<<tokens, 256>>>(c, v, d);
        scale_kernel<<<tokens, 256>>>(c, v, g, b, y, d);
#else
        layer_norm<<<tokens, 256>>>(x, g, b, y, d);
#endif
    }
    std::vector<float> h(d);
    CK(cudaMemcpy(h.data(), y, d * 4, cudaMemcpyDeviceToHost));
    double s = 0, q = 0;
    for (float t : h) { s += t; q += t * t; }
    return report(fabs(s / d) < 1e-3 && close_to(q / d, 1, 1e-2));
}
