// First step of a partitioned hash join: the rows of a table go into four partitions.
//   partition4 [tables]
#include "common.h"

const int PARTS = 4, THREADS = 256, ITEMS = 4;

__device__ unsigned hash_key(unsigned k)
{
    k ^= k >> 16; k *= 0x85ebca6bu; k ^= k >> 13; k *= 0xc2b2ae35u; k ^= k >> 16;
    return k;
}

__global__ void scan_table(uint4 *row, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) row[i] = make_uint4(hash_key(i), i, i * 7u, 1);
}

// n is a multiple of THREADS * ITEMS; partition p starts at out + p * capacity.
__global__ void __launch_bounds__(THREADS) scatter(const uint4 *__restrict__ row, unsigned salt, uint4 *__restrict__ out,
                                                   unsigned capacity, unsigned *cursor)
{
    int first = blockIdx.x * THREADS * ITEMS + threadIdx.x;
#ifndef GOOD
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        uint4 r = row[first + k * THREADS];
        unsigned p = hash_key(r.x ^ salt) % PARTS;
        unsigned at = atomicAdd(&cursor[p], 1u);
        if (at < capacity) out[p * capacity + at] = r;
    }
#else
    __shared__ unsigned count[PARTS][32];                 // of each of the ITEMS x 8 warp loads, then its start
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 r[ITEMS];
    unsigned part[ITEMS], rank[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) r[k] = row[first + k * THREADS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        part[k] = hash_key(r[k].x ^ salt) % PARTS;
#pragma unroll
        for (int p = 0; p < PARTS; p++) {
            unsigned m = __ballot_sync(~0u, part[k] == p);
            if (part[k] == p) rank[k] = __popc(m & ((1u << lane) - 1));
            if (lane == p) count[p][k * (THREADS / 32) + warp] = __popc(m);
        }
    }
    __syncthreads();
    if (warp < PARTS) {
        unsigned v = count[warp][lane], own = v, base = 0;
        for (int o = 1; o < 32; o *= 2) {
            unsigned w = __shfl_up_sync(~0u, v, o);
            if (lane >= o) v += w;
        }
        if (lane == 31) base = atomicAdd(&cursor[warp], v);
        count[warp][lane] = __shfl_sync(~0u, base, 31) + v - own;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        unsigned at = count[part[k]][k * (THREADS / 32) + warp] + rank[k];
        if (at < capacity) out[part[k] * capacity + at] = r[k];
    }
#endif
}

// Sum over a partition, whatever the order of its rows.
__global__ void digest(const uint4 *part, unsigned n, unsigned long long *sum)
{
    unsigned long long s = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += part[i].y ^ part[i].z;
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, s);
}

int main(int argc, char **argv)
{
    int tables = argc > 1 ? atoi(argv[1]) : 30;
    const int n = 1 << 24;
    const unsigned capacity = n / PARTS + n / 16;
    uint4 *row, *out;
    unsigned *cursor, h[PARTS];
    unsigned long long *sum, digests;
    CK(cudaMalloc(&row, n * sizeof(uint4)));
    CK(cudaMalloc(&out, (size_t)PARTS * capacity * sizeof(uint4)));
    CK(cudaMalloc(&cursor, PARTS * sizeof(unsigned)));
    CK(cudaMalloc(&sum, sizeof *sum));
    CK(cudaMemset(sum, 0, sizeof *sum));
    scan_table<<<n / 256, 256>>>(row, n);
    CK(cudaGetLastError());
    for (int t = 0; t < tables; t++) {
        CK(cudaMemsetAsync(cursor, 0, PARTS * sizeof(unsigned)));
        scatter<<<n / (THREADS * ITEMS), THREADS>>>(row, t * 0x9e3779b9u, out, capacity, cursor);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(h, cursor, sizeof h, cudaMemcpyDeviceToHost));
    unsigned all = 0;
    for (int p = 0; p < PARTS; p++) {
        all += h[p];
        digest<<<1056, 256>>>(out + (size_t)p * capacity, std::min(h[p], capacity), sum);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(&digests, sum, sizeof digests, cudaMemcpyDeviceToHost));
    printf("partitions of %u %u %u %u rows, digest %llu\n", h[0], h[1], h[2], h[3], digests);
    return report(all == (unsigned)n);
}
