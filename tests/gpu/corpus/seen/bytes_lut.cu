// Brightness and contrast of 8-bit images.
#include "common.h"
__global__ void init(unsigned char *p, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) p[i] = i * 31 >> 3; }
__device__ __host__ inline unsigned char adjust(unsigned char p, int c, int b)
{
    int v = (p * c >> 6) + b;
    return v < 0 ? 0 : v > 255 ? 255 : v;
}
#ifndef GOOD
__global__ void contrast(const unsigned char *in, unsigned char *out, int c, int b, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = adjust(in[i], c, b);
}
#else
__global__ void contrast(const uint4 *in, uint4 *out, int c, int b, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n / 16) return;
    uint4 v = in[i];
    unsigned char *p = (unsigned char *)&v;
#pragma unroll
    for (int k = 0; k < 16; k++) p[k] = adjust(p[k], c, b);
    out[i] = v;
}
#endif
int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 100;
    const size_t n = 1ul << 29;
    unsigned char *a, *b;
    CK(cudaMalloc(&a, n)); CK(cudaMalloc(&b, n));
    init<<<n / 256, 256>>>(a, n);
    for (int f = 0; f < frames; f++)
#ifndef GOOD
        contrast<<<n / 256, 256>>>(a, b, 80, -10, n);
#else
        contrast<<<n / 16 / 256, 256>>>((uint4 *)a, (uint4 *)b, 80, -10, n);
#endif
    unsigned char h[1024]; bool ok = true;
    CK(cudaMemcpy(h, b, 1024, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1024; i++) ok = ok && h[i] == adjust((unsigned char)(i * 31 >> 3), 80, -10);
    return report(ok);
}
