// Rotates a large image by 90 degrees, tile by tile.
#include "common.h"
#ifndef GOOD
#define PAD 0
#else
#define PAD 1
#endif
__global__ void init(unsigned *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = i; }
__global__ void rotate90(const unsigned *in, unsigned *out, int n)
{
    __shared__ unsigned t[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = n - 32 - blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += 8) out[(size_t)(y + k) * n + x] = t[31 - threadIdx.x][threadIdx.y + k];
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 50;
    const int n = 16384;
    size_t px = (size_t)n * n;
    unsigned *a, *b;
    CK(cudaMalloc(&a, px * 4)); CK(cudaMalloc(&b, px * 4));
    init<<<px / 256, 256>>>(a, px);
    for (int r = 0; r < reps; r++) rotate90<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, n);
    std::vector<unsigned> h(n);
    CK(cudaMemcpy(h.data(), b, n * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int x = 0; x < n; x++) ok = ok && h[x] == (unsigned)((size_t)(n - 1 - x) * n);
    return report(ok);
}
