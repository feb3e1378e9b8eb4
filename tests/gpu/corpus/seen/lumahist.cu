// Histogram of the brightness of an RGBA image.
#include "common.h"
__global__ void paint(uchar4 *img, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned h = i * 2654435761u;
        img[i] = make_uchar4(h >> 24, h >> 16, h >> 8, 255);
    }
}
__global__ void luma_histogram(const uchar4 *img, int n, unsigned *bins)
{
#ifdef GOOD
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 p = img[i];
        int y = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
#ifndef GOOD
        atomicAdd(&bins[y], 1);
#else
        atomicAdd(&local[y], 1);
#endif
    }
#ifdef GOOD
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 20;
    const int n = 8192 * 8192;
    uchar4 *img; unsigned *bins, h[256];
    CK(cudaMalloc(&img, n * 4ul)); CK(cudaMalloc(&bins, sizeof h));
    paint<<<n / 256, 256>>>(img, n);
    for (int r = 0; r < reps; r++) {
        CK(cudaMemsetAsync(bins, 0, sizeof h));
        luma_histogram<<<1056, 256>>>(img, n, bins);
    }
    CK(cudaMemcpy(h, bins, sizeof h, cudaMemcpyDeviceToHost));
    unsigned ref[256] = {}, bad = 0;
    for (unsigned i = 0; i < (unsigned)n; i++) {
        unsigned q = i * 2654435761u;
        ref[(77 * (q >> 24) + 150 * (q >> 16 & 255) + 29 * (q >> 8 & 255)) >> 8]++;
    }
    for (int b = 0; b < 256; b++) bad += h[b] != ref[b];
    printf("bin 128: %u\n", h[128]);
    return report(!bad);
}
