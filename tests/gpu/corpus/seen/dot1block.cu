// Dot product of two long vectors.
#include "common.h"
__global__ void init(float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { a[i] = (i % 7) * 0.25f; b[i] = (i % 5) * 0.5f; }
}
__global__ void dot(const float *a, const float *b, double *r, int n)
{
    __shared__ double w[32];
    double s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) s += a[i] * b[i];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = w[threadIdx.x];
        for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
        if (threadIdx.x == 0) atomicAdd(r, s);
    }
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 1 << 24;
    float *a, *b; double *r, h;
    CK(cudaMalloc(&a, n * 4)); CK(cudaMalloc(&b, n * 4)); CK(cudaMalloc(&r, 8));
    init<<<n / 256, 256>>>(a, b, n);
    for (int k = 0; k < reps; k++) {
        CK(cudaMemset(r, 0, 8));
#ifndef GOOD
        dot<<<1, 1024>>>(a, b, r, n);
#else
        dot<<<264, 1024>>>(a, b, r, n);
#endif
    }
    CK(cudaMemcpy(&h, r, 8, cudaMemcpyDeviceToHost));
    double ref = 0;
    for (int i = 0; i < n; i++) ref += (i % 7) * 0.25 * (i % 5) * 0.5;
    printf("%.1f\n", h);
    return report(close_to(h, ref, 1e-6));
}
