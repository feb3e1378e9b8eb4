// Each step allocates its scratch memory, uses it and frees it.
#include "common.h"
__global__ void stage1(const float *x, float *t, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) t[i] = x[i] * x[i]; }
__global__ void stage2(const float *t, float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = sqrtf(t[i]) * 0.999f; }
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 1000;
    const int n = 1 << 21;
    float *x, *t;
    CK(cudaMalloc(&x, n * 4)); CK(cudaMemset(x, 0, n * 4));
#ifdef GOOD
    CK(cudaMalloc(&t, n * 4));
#endif
    for (int s = 0; s < steps; s++) {
#ifndef GOOD
        CK(cudaMalloc(&t, n * 4));
#endif
        stage1<<<n / 256, 256>>>(x, t, n);
        stage2<<<n / 256, 256>>>(t, x, n);
#ifndef GOOD
        CK(cudaFree(t));
#endif
    }
    CK(cudaDeviceSynchronize());
    float h;
    CK(cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost));
    return report(h == 0);
}
