// Sends video frames to the GPU, inverts them and fetches them again.
#include "common.h"
__global__ void invert(uint4 *p, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) { uint4 v = p[i]; p[i] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w); }
}
int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 60;
    const size_t bytes = 3840ul * 2160 * 4;
    unsigned char *h, *d;
#ifndef GOOD
    h = (unsigned char *)malloc(bytes);
#else
    CK(cudaMallocHost(&h, bytes));
#endif
    for (size_t i = 0; i < bytes; i++) h[i] = i;
    CK(cudaMalloc(&d, bytes));
    for (int f = 0; f < frames; f++) {
        CK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
        invert<<<bytes / 16 / 256, 256>>>((uint4 *)d, bytes / 16);
        CK(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost));
    }
    bool even = frames % 2 == 0, ok = true;
    for (size_t i = 0; i < bytes; i += 1001) ok = ok && h[i] == (unsigned char)(even ? i : ~i);
    return report(ok);
}
