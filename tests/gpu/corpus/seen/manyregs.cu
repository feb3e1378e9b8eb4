// Evaluates 24 coupled rate equations for each cell (chemistry).
#include "common.h"
#define S 48
__global__ void init(float *c, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) c[i] = 0.01f * (1 + i % 7); }
__global__ void chem(float *c, int cells, float dt, int sub)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float y[S], r[S];
#pragma unroll
    for (int k = 0; k < S; k++) y[k] = c[(size_t)k * cells + i];
    for (int s = 0; s < sub; s++) {
#pragma unroll
        for (int k = 0; k < S; k++) r[k] = y[(k + 1) % S] * y[(k + 7) % S] - 0.5f * y[k] * y[(k + 13) % S];
#pragma unroll
        for (int k = 0; k < S; k++) y[k] += dt * (r[k] - 0.3f * r[(k + 5) % S]);
    }
#pragma unroll
    for (int k = 0; k < S; k++) c[(size_t)k * cells + i] = y[k];
}
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 20;
    const int cells = 1 << 20;
    float *c;
    CK(cudaMalloc(&c, (size_t)cells * S * 4));
    init<<<cells / 256 * S, 256>>>(c, (size_t)cells * S);
    for (int s = 0; s < steps; s++) chem<<<cells / 128, 128>>>(c, cells, 1e-4f, 50);
    float h[16]; bool ok = true;
    CK(cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost));
    for (float v : h) ok = ok && v > 0 && v < 1;
    printf("%.4f\n", h[3]);
    return report(ok);
}
