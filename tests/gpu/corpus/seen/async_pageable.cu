// Batches of samples in four streams, with asynchronous copies.
#include "common.h"
__global__ void classify(const float *x, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], best = -1; int at = 0;
    for (int k = 0; k < 64; k++) { float s = __sinf(v * (k + 1)); if (s > best) { best = s; at = k; } }
    c[i] = at;
}
int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 200;
    const int n = 1 << 21, S = 4;
    float *x, *dx[S]; int *c, *dc[S]; cudaStream_t st[S];
#ifndef GOOD
    x = (float *)malloc(S * n * 4ul); c = (int *)malloc(S * n * 4ul);
#else
    CK(cudaMallocHost(&x, S * n * 4ul)); CK(cudaMallocHost(&c, S * n * 4ul));
#endif
    memset(c, 0, S * n * 4ul);
    for (int i = 0; i < S * n; i++) x[i] = (i % 1000) * 0.001f;
    for (int s = 0; s < S; s++) { CK(cudaMalloc(&dx[s], n * 4)); CK(cudaMalloc(&dc[s], n * 4)); CK(cudaStreamCreateWithFlags(&st[s], cudaStreamNonBlocking)); }
    for (int b = 0; b < batches; b++) {
        int s = b % S;
        CK(cudaMemcpyAsync(dx[s], x + (size_t)s * n, n * 4, cudaMemcpyHostToDevice, st[s]));
        classify<<<n / 256, 256, 0, st[s]>>>(dx[s], dc[s], n);
        CK(cudaMemcpyAsync(c + (size_t)s * n, dc[s], n * 4, cudaMemcpyDeviceToHost, st[s]));
    }
    CK(cudaDeviceSynchronize());
    printf("%d\n", c[500]);
    return report(c[0] == 0 && c[500] >= 0 && c[500] < 64);
}
