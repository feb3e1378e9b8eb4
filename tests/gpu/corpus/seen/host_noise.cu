// Stochastic simulation; the random kicks are drawn by the host.
#include "common.h"
__global__ void move(float *x, const float *kick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 0.99f + kick[i];
}
#ifdef GOOD
__global__ void draw(float *kick, int n, unsigned step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = (i * 747796405u + step * 2891336453u) | 1;
    s ^= s >> 17; s *= 0xed5ad4bbU; s ^= s >> 11; s *= 0xac4c1b51U; s ^= s >> 15;
    if (i < n) kick[i] = (s >> 8) * (1.0f / 16777216.0f) - 0.5f;
}
#endif
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    const int n = 1 << 20;
    float *x, *k, *h;
    CK(cudaMalloc(&x, n * 4)); CK(cudaMalloc(&k, n * 4)); CK(cudaMallocHost(&h, n * 4));
    CK(cudaMemset(x, 0, n * 4));
    unsigned s = 1;
    for (int t = 0; t < steps; t++) {
#ifndef GOOD
        for (int i = 0; i < n; i++) h[i] = frand(s) - 0.5f;
        CK(cudaMemcpy(k, h, n * 4, cudaMemcpyHostToDevice));
#else
        draw<<<n / 256, 256>>>(k, n, t);
#endif
        move<<<n / 256, 256>>>(x, k, n);
    }
    CK(cudaMemcpy(h, x, n * 4, cudaMemcpyDeviceToHost));
    double m = 0;
    for (int i = 0; i < n; i++) m += h[i];
    return report(fabs(m / n) < 0.1);
}
