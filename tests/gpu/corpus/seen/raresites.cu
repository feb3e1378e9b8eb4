// Rare variants of a cohort: the burden of the sites, added up by minor allele count (most are seen once only).
// A site is a word: the count in the lower six bits, its weight in the ten above.
// usage: raresites megasites models
#include "common.h"

#define CLASSES 64
#define THREADS 1024
typedef unsigned long long Sum;

__host__ __device__ inline unsigned siteOf(unsigned i)
{
    unsigned h = i * 2654435761u;
    h = (h ^ (h >> 16)) * 2246822519u;
    h ^= h >> 13;
    unsigned seen = 65536u / ((h & 0xffffu) + 1024u);    // falls with the square
    return (seen < CLASSES ? seen : CLASSES - 1) | (h >> 22) << 6;
}

__global__ void call_sites(unsigned *site, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) site[i] = siteOf(i);
}

__global__ void __launch_bounds__(THREADS) burden(const uint4 *__restrict__ site, Sum *sums, int quads, unsigned extra)
{
    const int lane = threadIdx.x % 32;
#ifdef GOOD
    __shared__ unsigned sum[CLASSES * 32];               // a column for each lane
    for (int k = threadIdx.x; k < CLASSES * 32; k += THREADS) sum[k] = 0;
#define ADD(s) atomicAdd(&sum[((s) & 63u) * 32 + lane], ((s) >> 6) + extra)
#else
    __shared__ unsigned sum[CLASSES];
    if (threadIdx.x < CLASSES) sum[threadIdx.x] = 0;
#define ADD(s) atomicAdd(&sum[(s) & 63u], ((s) >> 6) + extra)
#endif
    __syncthreads();
#pragma unroll 2
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < quads; i += gridDim.x * THREADS) {
        uint4 s = site[i];
        ADD(s.x);
        ADD(s.y);
        ADD(s.z);
        ADD(s.w);
    }
    __syncthreads();
#ifdef GOOD
    for (int k = threadIdx.x / 32; k < CLASSES; k += THREADS / 32) {
        unsigned v = __reduce_add_sync(0xffffffffu, sum[k * 32 + lane]);
        if (lane == 0) atomicAdd(&sums[k], (Sum)v);
    }
#else
    if (threadIdx.x < CLASSES) atomicAdd(&sums[threadIdx.x], (Sum)sum[threadIdx.x]);
#endif
}

int main(int argc, char **argv)
{
    unsigned n = (argc > 1 ? atoi(argv[1]) : 32) * 1048576u;
    int models = argc > 2 ? atoi(argv[2]) : 6000;
    unsigned *site; Sum *sums;
    CK(cudaMalloc(&site, n * sizeof(unsigned)));
    CK(cudaMalloc(&sums, CLASSES * sizeof(Sum)));
    CK(cudaMemset(sums, 0, CLASSES * sizeof(Sum)));
    call_sites<<<(n + 255) / 256, 256>>>(site, n);
    Sum extras = 0;
    for (int m = 0; m < models; ++m) {
        unsigned extra = m % 4;                          // prior of this model
        burden<<<264, THREADS>>>((const uint4 *)site, sums, n / 4, extra);
        extras += extra;
    }
    CK(cudaGetLastError());
    std::vector<Sum> got(CLASSES), weight(CLASSES, 0), sites(CLASSES, 0);
    CK(cudaMemcpy(got.data(), sums, CLASSES * sizeof(Sum), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; ++i) {
        unsigned s = siteOf(i);
        weight[s & 63u] += s >> 6;
        sites[s & 63u]++;
    }
    bool ok = true;
    for (int k = 0; k < CLASSES; ++k) ok = ok && got[k] == weight[k] * (Sum)models + sites[k] * extras;
    printf("%.1f %% of the sites are seen once, their burden is %llu\n", 100.0 * sites[1] / n, got[1]);
    CK(cudaFree(site)); CK(cudaFree(sums));
    return report(ok);
}
