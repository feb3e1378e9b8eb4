// Asian options: every thread simulates a path and keeps it.
#include "common.h"
#define STEPS 252
__device__ float normal(unsigned &s)
{
    s = s * 1664525u + 1013904223u; float u = ((s >> 8) + 1) * (1.0f / 16777217.0f);
    s = s * 1664525u + 1013904223u; float v = (s >> 8) * (1.0f / 16777216.0f);
    return sqrtf(-2 * __logf(u)) * __cosf(6.2831853f * v);
}
__global__ void price(float *payoff, int paths, float strike, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths) return;
    unsigned s = (i + seed) * 2654435761u;
#ifndef GOOD
    float path[STEPS];
    float x = 100;
    for (int t = 0; t < STEPS; t++) { x *= __expf(0.0001f + 0.0126f * normal(s)); path[t] = x; }
    float sum = 0, low = path[0];
    for (int t = 0; t < STEPS; t++) { sum += path[t]; low = fminf(low, path[t]); }
#else
    float x = 100, sum = 0, low = 1e30f;
    for (int t = 0; t < STEPS; t++) { x *= __expf(0.0001f + 0.0126f * normal(s)); sum += x; low = fminf(low, x); }
#endif
    payoff[i] = low < 60 ? 0 : fmaxf(sum / STEPS - strike, 0);
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    const int paths = 1 << 22;
    float *d;
    CK(cudaMalloc(&d, paths * 4));
    for (int r = 0; r < reps; r++) price<<<paths / 256, 256>>>(d, paths, 90 + r % 20, 17);
    std::vector<float> h(10000);
    CK(cudaMemcpy(h.data(), d, h.size() * 4, cudaMemcpyDeviceToHost));
    double m = 0;
    for (float x : h) m += x;
    printf("mean payoff %.1f\n", m / h.size());
    return report(m / h.size() > 1 && m / h.size() < 40);
}
