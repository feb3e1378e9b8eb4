// Gram matrix G = X * X^T of m samples with d features each, X stored by samples.
#include "common.h"
#ifndef GOOD
__global__ void gram(const float *X, float *G, int m, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= m) return;
    float s = 0.f;
    for (int k = 0; k < d; ++k)
        s += X[(size_t)i * d + k] * X[(size_t)j * d + k];
    G[(size_t)i * m + j] = s;
}
#else
__global__ void gram(const float *X, float *G, int m, int d)
{
    __shared__ float a[32][33], b[32][33];
    int j = blockIdx.x * 32 + threadIdx.x, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    float s[4] = {0, 0, 0, 0};
    for (int k0 = 0; k0 < d; k0 += 32) {
        for (int r = threadIdx.y; r < 32; r += 8) {
            a[r][threadIdx.x] = X[(size_t)(i0 + r) * d + k0 + threadIdx.x];
            b[r][threadIdx.x] = X[(size_t)(j0 + r) * d + k0 + threadIdx.x];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
#pragma unroll
            for (int q = 0; q < 4; ++q)
                s[q] += a[threadIdx.y + 8 * q][k] * b[threadIdx.x][k];
        __syncthreads();
    }
    for (int q = 0; q < 4; ++q)
        G[(size_t)(i0 + threadIdx.y + 8 * q) * m + j] = s[q];
}
#endif
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 4;
    const int m = 4096, d = 1024;
    std::vector<float> X((size_t)m * d), G(64 * (size_t)m);
    unsigned s = 11;
    for (auto &x : X) x = frand(s);
    float *dX, *dG;
    CK(cudaMalloc(&dX, X.size() * 4)); CK(cudaMalloc(&dG, (size_t)m * m * 4));
    CK(cudaMemcpy(dX, X.data(), X.size() * 4, cudaMemcpyHostToDevice));
    for (int r = 0; r < reps; ++r)
#ifndef GOOD
        gram<<<dim3(m / 32, m / 8), dim3(32, 8)>>>(dX, dG, m, d);
#else
        gram<<<dim3(m / 32, m / 32), dim3(32, 8)>>>(dX, dG, m, d);
#endif
    CK(cudaMemcpy(G.data(), dG, G.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 50; ++t) {
        int i = (lcg(s) >> 8) % 64, j = lcg(s) % m;
        double ref = 0;
        for (int k = 0; k < d; ++k) ref += (double)X[(size_t)i * d + k] * X[(size_t)j * d + k];
        ok = ok && close_to(G[(size_t)i * m + j], ref, 1e-3);
    }
    printf("trace sample %.1f\n", G[0]);
    return report(ok);
}
