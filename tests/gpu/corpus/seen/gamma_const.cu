// Gamma correction of 16-bit images by a table.
#include "common.h"
__constant__ unsigned short table_c[4096];
__global__ void init(unsigned short *p, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) p[i] = ((unsigned)i * 2654435761u) >> 20; }
__global__ void gamma16(const unsigned short *in, unsigned short *out, size_t n, const unsigned short *table)
{
#ifdef GOOD
    __shared__ unsigned short t[4096];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) t[k] = table[k];
    __syncthreads();
#endif
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
#ifndef GOOD
        out[i] = table_c[in[i]];
#else
        out[i] = t[in[i]];
#endif
}
int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 20;
    const size_t n = 1ul << 27;
    unsigned short h[4096], *a, *b, *t;
    for (int i = 0; i < 4096; i++) h[i] = (unsigned short)(4095 * pow(i / 4095.0, 1 / 2.2));
    CK(cudaMalloc(&a, n * 2)); CK(cudaMalloc(&b, n * 2)); CK(cudaMalloc(&t, sizeof h));
    CK(cudaMemcpyToSymbol(table_c, h, sizeof h)); CK(cudaMemcpy(t, h, sizeof h, cudaMemcpyHostToDevice));
    init<<<n / 256, 256>>>(a, n);
    for (int f = 0; f < frames; f++) gamma16<<<1056, 256>>>(a, b, n, t);
    unsigned short r[1000]; bool ok = true;
    CK(cudaMemcpy(r, b, sizeof r, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 1000; i++) ok = ok && r[i] == h[i * 2654435761u >> 20];
    return report(ok);
}
