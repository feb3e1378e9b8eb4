// Logistic map: long independent sequences, a few of them for each thread.
#include "common.h"
__global__ void orbit(const float *start, float *end, int n, int iters)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
#ifndef GOOD
    for (int i = t; i < n; i += all) {
        float x = start[i];
#pragma unroll 1
        for (int k = 0; k < iters; k++) x = 3.57f * x * (1.0f - x);
        end[i] = x;
    }
#else
    for (int i = t; i < n; i += 8 * all) {
        float x[8];
        for (int j = 0; j < 8; j++) x[j] = start[i + j * all];
#pragma unroll 4
        for (int k = 0; k < iters; k++)
            for (int j = 0; j < 8; j++) x[j] = 3.57f * x[j] * (1.0f - x[j]);
        for (int j = 0; j < 8; j++) end[i + j * all] = x[j];
    }
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    const int blocks = 132, threads = 128, n = blocks * threads * 16;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = (i + 1.0f) / (n + 1);
    float *a, *b;
    CK(cudaMalloc(&a, n * 4)); CK(cudaMalloc(&b, n * 4));
    CK(cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice));
    for (int k = 0; k < reps; k++) orbit<<<blocks, threads>>>(a, b, n, 100000);
    CK(cudaMemcpy(r.data(), b, n * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (float x : r) ok = ok && x >= 0 && x <= 1;
    return report(ok);
}
