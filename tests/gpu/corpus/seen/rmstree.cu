// RMS normalisation, a block a row, reduction in shared memory.
#include "common.h"
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = (i % 11) - 5.0f; }
__global__ void rms_norm(const float *x, float *y, int d)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    size_t at = (size_t)blockIdx.x * d + t;
    float v = t < d ? x[at] : 0;
#ifndef GOOD
    s[t] = v * v;
    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        __syncthreads();
        if (t < h) s[t] += s[t + h];
    }
    __syncthreads();
    float total = s[0];
#else
    float q = v * v;
    for (int o = 16; o; o >>= 1) q += __shfl_xor_sync(~0u, q, o);
    if (t % 32 == 0) s[t / 32] = q;
    __syncthreads();
    q = s[t % 32];
    for (int o = 16; o; o >>= 1) q += __shfl_xor_sync(~0u, q, o);
    float total = q;
#endif
    if (t < d) y[at] = v * rsqrtf(total / d + 1e-6f);
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 100;
    const int rows = 100000, d = 1024;
    size_t n = (size_t)rows * d;
    float *x, *y;
    CK(cudaMalloc(&x, n * 4)); CK(cudaMalloc(&y, n * 4));
    init<<<n / 256, 256>>>(x, n);
    for (int r = 0; r < reps; r++) rms_norm<<<rows, 1024>>>(x, y, d);
    std::vector<float> h(d);
    CK(cudaMemcpy(h.data(), y, d * 4, cudaMemcpyDeviceToHost));
    double q = 0;
    for (float t : h) q += t * t;
    return report(close_to(q / d, 1, 1e-3));
}
