// Two independent simulations in streams of their own, with a small monitor kernel.
#include "common.h"
__global__ void simulate(float *x, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.9999f + 0.0001f * __cosf(v);
    x[i] = v;
}
__global__ void monitor(const float *x, float *log, int k) { if (threadIdx.x == 0) log[k] = x[0]; }
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 400;
    const int n = 8192, sims = 4;
    float *x[sims], *log;
    cudaStream_t st[sims], mon = 0;
    CK(cudaMalloc(&log, steps * 4));
    for (int s = 0; s < sims; s++) {
        CK(cudaMalloc(&x[s], n * 4)); CK(cudaMemset(x[s], 0, n * 4));
        CK(cudaStreamCreate(&st[s]));
    }
#ifdef GOOD
    CK(cudaStreamCreateWithFlags(&mon, cudaStreamNonBlocking));
#endif
    for (int k = 0; k < steps; k++)
        for (int s = 0; s < sims; s++) {
            simulate<<<n / 256, 256, 0, st[s]>>>(x[s], n, 4000);
            monitor<<<1, 32, 0, mon>>>(x[s], log, k);
        }
    CK(cudaDeviceSynchronize());
    float h;
    CK(cudaMemcpy(&h, x[2], 4, cudaMemcpyDeviceToHost));
    printf("%.4f\n", h);
    return report(h > 0.5f && h < 1);
}
