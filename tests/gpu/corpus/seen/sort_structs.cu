// Sorts trades by time with Thrust.
#include "common.h"
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/execution_policy.h>
struct Trade { unsigned time; float price; int volume; int venue; };
struct Earlier { __host__ __device__ bool operator()(const Trade &a, const Trade &b) const { return a.time < b.time; } };
__global__ void init(Trade *t, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) t[i] = {i * 2654435761u, i * 0.01f, i, i % 7}; }
#ifdef GOOD
__global__ void keys(const Trade *t, unsigned *k, int *idx, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { k[i] = t[i].time; idx[i] = i; } }
__global__ void reorder(const Trade *t, const int *idx, Trade *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = t[idx[i]]; }
#endif
__global__ void disorder(const Trade *t, int n, int *bad) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i && i < n && t[i - 1].time > t[i].time) *bad = 1; }
int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 5;
    const int n = 1 << 24;
    Trade *t, *u; int *bad, h;
    CK(cudaMalloc(&t, (size_t)n * sizeof(Trade))); CK(cudaMalloc(&u, (size_t)n * sizeof(Trade))); CK(cudaMalloc(&bad, 4)); CK(cudaMemset(bad, 0, 4));
#ifdef GOOD
    unsigned *k; int *idx;
    CK(cudaMalloc(&k, n * 4ul)); CK(cudaMalloc(&idx, n * 4ul));
#endif
    for (int d = 0; d < days; d++) {
        init<<<n / 256, 256>>>(t, n);
#ifndef GOOD
        thrust::sort(thrust::device, t, t + n, Earlier());
        disorder<<<n / 256, 256>>>(t, n, bad);
#else
        keys<<<n / 256, 256>>>(t, k, idx, n);
        thrust::sort_by_key(thrust::device, k, k + n, idx);
        reorder<<<n / 256, 256>>>(t, idx, u, n);
        disorder<<<n / 256, 256>>>(u, n, bad);
#endif
    }
    CK(cudaMemcpy(&h, bad, 4, cudaMemcpyDeviceToHost));
    return report(h == 0);
}
