// Interprets one of eight operations for each element.
#include "common.h"
__device__ float work(int op, float x)
{
    switch (op) {
    case 0: for (int i = 0; i < 60; i++) x = x * 0.99f + 0.01f; return x;
    case 1: for (int i = 0; i < 60; i++) x = x - x * x * 0.001f; return x;
    case 2: for (int i = 0; i < 60; i++) x = fmaxf(x * 1.01f, 0.5f) - 0.01f; return x;
    case 3: for (int i = 0; i < 60; i++) x = fabsf(x - 0.3f) * 1.02f; return x;
    case 4: for (int i = 0; i < 60; i++) x = x * x * 0.5f + 0.3f; return x;
    case 5: for (int i = 0; i < 60; i++) x = fminf(x + 0.02f, 1.5f) * 0.98f; return x;
    case 6: for (int i = 0; i < 60; i++) x = (x + 0.2f) * (x - 0.1f) * 0.4f + 0.2f; return x;
    default: for (int i = 0; i < 60; i++) x = 0.7f * x + 0.2f * fabsf(x); return x;
    }
}
__global__ void init(float *x, int *op, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] = (i % 100) * 0.01f;
#ifndef GOOD
    op[i] = (i * 2654435761u >> 9) & 7;		// as they came
#else
    op[i] = i / (n / 8);			// sorted by operation
#endif
}
__global__ void interpret(float *x, const int *op, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = work(op[i], x[i]);
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 50;
    const int n = 1 << 25;
    float *x; int *op;
    CK(cudaMalloc(&x, n * 4ul)); CK(cudaMalloc(&op, n * 4ul));
    init<<<n / 256, 256>>>(x, op, n);
    for (int r = 0; r < reps; r++) interpret<<<n / 256, 256>>>(x, op, n);
    float h[512]; bool ok = true;
    CK(cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost));
    for (float v : h) ok = ok && std::isfinite(v);
    return report(ok);
}
