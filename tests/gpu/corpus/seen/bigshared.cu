// Sliding dot product (correlation with a template of 64 samples).
#include "common.h"
#define W 64
__global__ void init(float *x, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) x[i] = (i % 50) * 0.02f; }
__global__ void correlate(const float *x, const float *w, float *y, size_t n)
{
    extern __shared__ float s[];		// the template and a piece of the signal
    size_t base = blockIdx.x * (size_t)blockDim.x;
    if (threadIdx.x < W) s[threadIdx.x] = w[threadIdx.x];
    for (int k = threadIdx.x; k < blockDim.x + W; k += blockDim.x) s[W + k] = base + k < n ? x[base + k] : 0;
    __syncthreads();
    float a = 0;
    for (int k = 0; k < W; k++) a += s[k] * s[W + threadIdx.x + k];
    if (base + threadIdx.x < n) y[base + threadIdx.x] = a;
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 20;
    const size_t n = 1ul << 26;
    float *x, *w, *y;
    CK(cudaMalloc(&x, n * 4)); CK(cudaMalloc(&w, W * 4)); CK(cudaMalloc(&y, n * 4));
    std::vector<float> h(W, 1.0f / W);
    CK(cudaMemcpy(w, h.data(), W * 4, cudaMemcpyHostToDevice));
    init<<<n / 256, 256>>>(x, n);
#ifndef GOOD
    int shared = 100 * 1024;		// "enough for every block size"
#else
    int shared = (2 * W + 128) * sizeof(float);
#endif
    CK(cudaFuncSetAttribute(correlate, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    for (int r = 0; r < reps; r++) correlate<<<n / 128, 128, shared>>>(x, w, y, n);
    float v[50]; bool ok = true;
    CK(cudaMemcpy(v, y, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 50; i++) { double a = 0; for (int k = 0; k < W; k++) a += ((i + k) % 50) * 0.02 / W; ok = ok && close_to(v[i], a, 1e-3); }
    return report(ok);
}
