// Key generation, first sieve: which odd numbers above 2^30 pass Fermat's test to base 2?
//   fermat_test [ranges]
#include "common.h"

typedef unsigned int u32;
typedef unsigned long long u64;

#ifndef GOOD
__device__ bool passes(u32 n)
{
    u32 x = 2;                                    // bit 30 of n - 1
    for (int bit = 29; bit >= 0; bit--) {
        x = (u64)x * x % n;
        if ((n - 1) >> bit & 1) x = (u64)x * 2 % n;
    }
    return x == 1;
}
#else
// In Montgomery's form, R = 2^32, n odd and below 2^31.
__device__ bool passes(u32 n)
{
    u32 inverse = n;                              // of n modulo 2^32, correct to 3 bits
    for (int k = 0; k < 4; k++) inverse *= 2 - n * inverse;
    u32 minus = 0u - inverse, one = (0u - n) % n, x = 2 * one;
    if (x >= n) x -= n;
#pragma unroll 6
    for (int bit = 29; bit >= 0; bit--) {
        u64 t = (u64)x * x;
        u32 m = (u32)t * minus;
        x = (t + (u64)m * n) >> 32;
        if (x >= n) x -= n;
        u32 twice = 2 * x >= n ? 2 * x - n : 2 * x;
        x = (n - 1) >> bit & 1 ? twice : x;
    }
    return x == one;
}
#endif

__global__ void __launch_bounds__(256) count(u32 first, u32 numbers, u32 *found)
{
    u32 hits = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < numbers; i += gridDim.x * blockDim.x)
        hits += passes(first + 2 * i);
    hits = __reduce_add_sync(~0u, hits);
    if (threadIdx.x % 32 == 0) atomicAdd(found, hits);
}

int main(int argc, char **argv)
{
    int ranges = argc > 1 ? atoi(argv[1]) : 20;
    const u32 numbers = 1u << 24;
    u32 *found, h;
    CK(cudaMalloc(&found, sizeof *found));
    CK(cudaMemset(found, 0, sizeof *found));
    for (int r = 0; r < ranges; r++) {
        count<<<132 * 8, 256>>>((1u << 30) + 1 + (r % 16) * 2 * numbers, numbers, found);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(&h, found, sizeof h, cudaMemcpyDeviceToHost));
    printf("%u probable primes, one in %.2f odd numbers\n", h, (double)numbers * ranges / h);
    return report((double)h / ranges / numbers > 0.08 && (double)h / ranges / numbers < 0.11);
}
