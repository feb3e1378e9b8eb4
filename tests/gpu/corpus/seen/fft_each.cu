// Spectra of many short frames with cuFFT.
#include "common.h"
#include <cufft.h>
__global__ void init(float2 *x, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) x[i] = make_float2(i % 4 == 0, 0); }
int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 60000;
    const int len = 2048;
    float2 *x;
    size_t n = (size_t)frames * len;
    CK(cudaMalloc(&x, n * 8));
    init<<<(n + 255) / 256, 256>>>(x, n);
    cufftHandle plan;
#ifndef GOOD
    cufftPlan1d(&plan, len, CUFFT_C2C, 1);
    for (int f = 0; f < frames; f++) cufftExecC2C(plan, x + (size_t)f * len, x + (size_t)f * len, CUFFT_FORWARD);
#else
    cufftPlan1d(&plan, len, CUFFT_C2C, frames);
    cufftExecC2C(plan, x, x, CUFFT_FORWARD);
#endif
    float2 h;
    CK(cudaMemcpy(&h, x + n - len, 8, cudaMemcpyDeviceToHost));
    printf("%.1f\n", h.x);
    return report(close_to(h.x, len / 4, 1e-3));
}
