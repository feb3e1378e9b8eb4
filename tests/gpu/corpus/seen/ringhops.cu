// Load balancer: every flow has a walk around a ring of hash positions (start and stride); the ring is cut into 32
// racks. For a given state of the racks, each flow's walk of 64 hops says which rack takes it and how many spares
// it has behind that one.
// usage: ringhops flows outages [ring]
#include "common.h"

#define HOPS 64
#define RACKSHIFT 35         // 32 racks on a ring of almost 2^40 positions
typedef unsigned long long Place;

__host__ __device__ inline Place scramble(Place x)
{
    x ^= x >> 30; x *= 0xbf58476d1ce4e5b9ull; x ^= x >> 27; x *= 0x94d049bb133111ebull; x ^= x >> 31;
    return x;
}

__host__ __device__ inline Place startOf(int f, Place ring) { return scramble(2ull * f + 1) % ring; }
__host__ __device__ inline Place strideOf(int f, Place ring) { return 1 + scramble(2ull * f + 2) % (ring - 1); }

__global__ void open_flows(ulonglong2 *flow, int n, Place ring)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f < n) flow[f] = make_ulonglong2(startOf(f, ring), strideOf(f, ring));
}

__global__ void walk(const ulonglong2 *__restrict__ flow, unsigned *__restrict__ answer, int n, Place ring, unsigned up)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= n) return;
    ulonglong2 mine = flow[f];
    unsigned alive = 0, first = HOPS;
#ifdef GOOD
    Place at = mine.x;
#endif
    #pragma unroll 4
    for (unsigned hop = 0; hop < HOPS; ++hop) {
#ifndef GOOD
        Place at = (mine.x + hop * mine.y) % ring;
#endif
        unsigned here = (up >> (unsigned)(at >> RACKSHIFT)) & 1u;
        alive += here;
        first = min(first, here ? hop : (unsigned)HOPS);
#ifdef GOOD
        at += mine.y;
        if (at >= ring) at -= ring;
#endif
    }
    answer[f] = alive << 8 | first;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2097152;
    int outages = argc > 2 ? atoi(argv[2]) : 1200;
    Place ring = argc > 3 ? strtoull(argv[3], nullptr, 10) : 1099511627689ull;
    ulonglong2 *flow; unsigned *answer;
    CK(cudaMalloc(&flow, n * sizeof(ulonglong2)));
    CK(cudaMalloc(&answer, n * sizeof(unsigned)));
    const int grid = (n + 255) / 256;
    open_flows<<<grid, 256>>>(flow, n, ring);
    unsigned up = 0;
    for (int k = 0; k < outages; ++k) {
        up = (unsigned)scramble(5000ull + k) | (unsigned)scramble(9000ull + k);
        walk<<<grid, 256>>>(flow, answer, n, ring, up);
    }
    CK(cudaGetLastError());
    std::vector<unsigned> a(n);
    CK(cudaMemcpy(a.data(), answer, n * sizeof(unsigned), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 4000; ++t) {
        int f = (int)((long long)t * (n - 1) / 3999);
        unsigned alive = 0, first = HOPS;
        for (unsigned hop = 0; hop < HOPS; ++hop) {
            Place at = (startOf(f, ring) + hop * strideOf(f, ring)) % ring;
            if (up >> (at >> RACKSHIFT) & 1u) { ++alive; if (first == HOPS) first = hop; }
        }
        ok = ok && a[f] == (alive << 8 | first);
    }
    printf("flow 0: hop %u, %u of %d hops alive\n", a[0] & 255u, a[0] >> 8, HOPS);
    CK(cudaFree(flow)); CK(cudaFree(answer));
    return report(ok);
}
