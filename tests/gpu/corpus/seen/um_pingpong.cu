// A damped field in unified memory; the host adds a source each step.
#include "common.h"
__global__ void damp(float *u, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) u[i] *= 0.99f;
}
#ifdef GOOD
__global__ void source(float *u, int n, int step) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) u[(size_t)i * 16] += 1.0f; }
#endif
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 20;
    const size_t n = 1ul << 25;
    const int m = n / 16;
    float *u;
    CK(cudaMallocManaged(&u, n * 4));
    for (size_t i = 0; i < n; i++) u[i] = 0;
    for (int s = 0; s < steps; s++) {
#ifndef GOOD
        for (int i = 0; i < m; i++) u[(size_t)i * 16] += 1.0f;
#else
        source<<<(m + 255) / 256, 256>>>(u, m, s);
#endif
        damp<<<n / 256, 256>>>(u, n);
        CK(cudaDeviceSynchronize());
    }
    printf("%.4f\n", u[0]);
    return report(u[0] > 0 && u[1] == 0);
}
