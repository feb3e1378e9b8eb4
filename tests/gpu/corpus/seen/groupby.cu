// SELECT store, SUM(amount) FROM sales GROUP BY store, over 128 million rows and 40 stores.
//   groupby [queries]
#include "common.h"

typedef unsigned long long u64;
const int STORES = 40, THREADS = 256;

__global__ void load_sales(unsigned char *store, unsigned *amount, int rows)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
        unsigned h = i * 2654435761u;
        h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13;
        store[i] = (h >> 3) % STORES;
        amount[i] = (h >> 9) & 4095;
    }
}

#ifndef GOOD
__global__ void __launch_bounds__(THREADS) sum_by_store(const uchar4 *__restrict__ store, const uint4 *__restrict__ amount,
                                                        int quads, u64 *total)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uchar4 s = store[i];
        uint4 a = amount[i];
        atomicAdd(&total[s.x], (u64)a.x);
        atomicAdd(&total[s.y], (u64)a.y);
        atomicAdd(&total[s.z], (u64)a.z);
        atomicAdd(&total[s.w], (u64)a.w);
    }
}
#else
// Each thread has its own sums, in shared memory in a column of its warp's table.
__global__ void __launch_bounds__(THREADS) sum_by_store(const uchar4 *__restrict__ store, const uint4 *__restrict__ amount,
                                                        int quads, u64 *total)
{
    __shared__ unsigned sum[THREADS / 32][STORES][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = 0; k < STORES; k++) sum[warp][k][lane] = 0;
    unsigned (*mine)[32] = sum[warp];
#pragma unroll 2
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uchar4 s = store[i];
        uint4 a = amount[i];
        mine[s.x][lane] += a.x;
        mine[s.y][lane] += a.y;
        mine[s.z][lane] += a.z;
        mine[s.w][lane] += a.w;
    }
    __syncthreads();
    for (int k = warp; k < STORES; k += THREADS / 32) {
        u64 t = 0;
        for (int w = 0; w < THREADS / 32; w++) t += sum[w][k][lane];
        for (int o = 16; o; o >>= 1) t += __shfl_down_sync(~0u, t, o);
        if (lane == 0) atomicAdd(&total[k], t);
    }
}
#endif

int main(int argc, char **argv)
{
    int queries = argc > 1 ? atoi(argv[1]) : 10;
    const int rows = 1 << 27;
    unsigned char *store;
    unsigned *amount;
    u64 *total;
    CK(cudaMalloc(&store, rows));
    CK(cudaMalloc(&amount, rows * sizeof(unsigned)));
    CK(cudaMalloc(&total, STORES * sizeof(u64)));
    CK(cudaMemset(total, 0, STORES * sizeof(u64)));
    load_sales<<<2112, 256>>>(store, amount, rows);
    CK(cudaGetLastError());
    for (int q = 0; q < queries; q++) {
        sum_by_store<<<132 * 5, THREADS>>>((const uchar4 *)store, (const uint4 *)amount, rows / 4, total);
        CK(cudaGetLastError());
    }
    u64 h[STORES], all = 0;
    CK(cudaMemcpy(h, total, sizeof h, cudaMemcpyDeviceToHost));
    for (u64 t : h) all += t;
    printf("store 0: %llu, all: %llu\n", h[0] / queries, all / queries);
    return report(all > 0);
}
