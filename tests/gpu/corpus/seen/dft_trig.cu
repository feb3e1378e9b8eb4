// Goertzel-like: power at 128 frequencies for many short frames.
#include "common.h"
#define L 256
__global__ void init(float *x, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) x[i] = ((i * 37) % 64) * 0.03f - 1; }
__global__ void power(const float *x, float *p, const float2 *w)
{
    __shared__ float f[L];
    for (int i = threadIdx.x; i < L; i += blockDim.x) f[i] = x[(size_t)blockIdx.x * L + i];
    __syncthreads();
    int k = threadIdx.x;
    float re = 0, im = 0;
    for (int t = 0; t < L; t++) {
#ifndef GOOD
        re += f[t] * cos(2 * 3.14159265358979 * k * t / L);
        im -= f[t] * sin(2 * 3.14159265358979 * k * t / L);
#else
        re += f[t] * cosf(2 * 3.14159265f * (k * t % L) / L);
        im -= f[t] * sinf(2 * 3.14159265f * (k * t % L) / L);
#endif
    }
    p[(size_t)blockIdx.x * 128 + k] = re * re + im * im;
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 3;
    const int frames = 1 << 15;
    float *x, *p;
    CK(cudaMalloc(&x, (size_t)frames * L * 4)); CK(cudaMalloc(&p, (size_t)frames * 128 * 4));
    init<<<frames * L / 256, 256>>>(x, (size_t)frames * L);
    for (int r = 0; r < reps; r++) power<<<frames, 128>>>(x, p, nullptr);
    std::vector<float> h(128), s(L);
    CK(cudaMemcpy(h.data(), p, 512, cudaMemcpyDeviceToHost)); CK(cudaMemcpy(s.data(), x, L * 4, cudaMemcpyDeviceToHost));
    double dc = 0;
    for (float v : s) dc += v;
    printf("%.3f\n", h[0]);
    return report(close_to(h[0], dc * dc, 1e-2));
}
