// Estimates the volume of a 6-ball by sampling.
#include "common.h"
__device__ unsigned next(unsigned &s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }
__global__ void sample(unsigned long long *hits, int per, unsigned seed)
{
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x + seed) * 2654435761u | 1;
#ifdef GOOD
    unsigned mine = 0;
#endif
    for (int k = 0; k < per; k++) {
        float r = 0;
        for (int d = 0; d < 6; d++) { float x = (next(s) >> 8) * (2.0f / 16777216.0f) - 1; r += x * x; }
        if (r < 1)
#ifndef GOOD
            atomicAdd(hits, 1ull);
#else
            mine++;
#endif
    }
#ifdef GOOD
    for (int o = 16; o; o >>= 1) mine += __shfl_down_sync(~0u, mine, o);
    if (threadIdx.x % 32 == 0) atomicAdd(hits, (unsigned long long)mine);
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int blocks = 2112, per = 2000;
    unsigned long long *d, h;
    CK(cudaMalloc(&d, 8)); CK(cudaMemset(d, 0, 8));
    for (int r = 0; r < reps; r++) sample<<<blocks, 256>>>(d, per, r * blocks * 256);
    CK(cudaMemcpy(&h, d, 8, cudaMemcpyDeviceToHost));
    double v = 64.0 * h / ((double)blocks * 256 * per * reps);
    printf("volume %.2f\n", v);
    return report(close_to(v, 5.1677, 2e-2));
}
