// Join of two tables by a hash table with open addressing: build, then probe.
//   hashjoin [log2 of the orders] [probes a build]
#include "common.h"

typedef unsigned long long u64;
struct Slot { u64 key; unsigned value, unused; };
static const u64 NONE = ~0ull;

__host__ __device__ inline u64 scramble(u64 k)
{
    k ^= k >> 33; k *= 0xff51afd7ed558ccdull; k ^= k >> 33;
    return k;
}

// Where a key's search begins; the number of slots is a prime.
__device__ inline u64 slot_of(u64 key, u64 slots)
{
#ifndef GOOD
    return scramble(key) % slots;
#else
    return __umul64hi(scramble(key) * 0x9e3779b97f4a7c15ull, slots);
#endif
}

__host__ __device__ inline u64 customer(u64 i) { return i * 2862933555777941757ull + 3037000493ull; }

__global__ void clear(Slot *table, u64 slots)
{
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < slots; i += (u64)gridDim.x * blockDim.x)
        ((ulonglong2 *)table)[i] = make_ulonglong2(NONE, 0);
}

__global__ void build(Slot *table, u64 slots, u64 n)
{
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
        u64 key = customer(i), s = slot_of(key, slots);
        while (atomicCAS(&table[s].key, NONE, key) != NONE) s = s + 1 == slots ? 0 : s + 1;
        table[s].value = (unsigned)i;
    }
}

// Every second order belongs to nobody.
__global__ void probe(const Slot *__restrict__ table, u64 slots, u64 n, u64 orders, u64 *result)
{
    u64 found = 0, sum = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < orders; i += (u64)gridDim.x * blockDim.x) {
        u64 key = customer(i * 7919 & (2 * n - 1)), s = slot_of(key, slots);
        for (;;) {
            ulonglong2 e = *(const ulonglong2 *)&table[s];
            if (e.x == key) {
                found++;
                sum += (unsigned)e.y;
                break;
            }
            if (e.x == NONE) break;
            s = s + 1 == slots ? 0 : s + 1;
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        found += __shfl_down_sync(~0u, found, d);
        sum += __shfl_down_sync(~0u, sum, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&result[0], found);
        atomicAdd(&result[1], sum);
    }
}

static u64 prime_from(u64 n)
{
    for (;; n++) {
        bool prime = n % 2 != 0;
        for (u64 d = 3; prime && d * d <= n; d += 2) prime = n % d != 0;
        if (prime) return n;
    }
}

int main(int argc, char **argv)
{
    int lg = argc > 1 ? atoi(argv[1]) : 26, times = argc > 2 ? atoi(argv[2]) : 10;
    u64 orders = 1ull << lg, n = orders / 2, slots = prime_from(2 * n), *result, h[2];
    Slot *table;
    CK(cudaMalloc(&table, slots * sizeof(Slot)));
    CK(cudaMalloc(&result, sizeof h));
    clear<<<1056, 256>>>(table, slots);
    build<<<1056, 256>>>(table, slots, n);
    for (int t = 0; t < times; t++) {
        CK(cudaMemsetAsync(result, 0, sizeof h));
        probe<<<1056, 256>>>(table, slots, n, orders, result);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h, result, sizeof h, cudaMemcpyDeviceToHost));
    u64 found = 0, sum = 0;
    for (u64 i = 0; i < orders; i++) {
        u64 k = i * 7919 & (2 * n - 1);
        if (k < n) {
            found++;
            sum += k;
        }
    }
    printf("%llu of %llu orders have a customer\n", h[0], orders);
    return report(h[0] == found && h[1] == sum);
}
