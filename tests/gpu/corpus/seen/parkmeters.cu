// Revenue of all parking meters in a city: minutes times tariff, one total of the year.
#include "common.h"

#define BLOCKS (132 * 8)

__host__ __device__ static inline unsigned minutesOf(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return h % 240u;
}
__global__ void park(uint4 *m, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) m[i] = make_uint4(minutesOf(4 * i), minutesOf(4 * i + 1), minutesOf(4 * i + 2), minutesOf(4 * i + 3));
}

__device__ __forceinline__ unsigned fee(unsigned m, unsigned free) { return m > free ? (m - free) * 3u : 0u; }

__device__ unsigned long long blockTotal(unsigned long long v)
{
    __shared__ unsigned long long s[8];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
    __syncthreads();
    v = 0;
    if (threadIdx.x == 0)
        for (int w = 0; w < 8; w++) v += s[w];
    return v;
}

__global__ void revenue(const uint4 *__restrict__ m, unsigned long long *out, unsigned n4, unsigned free)
{
    unsigned long long t = 0;
    unsigned stride = gridDim.x * blockDim.x;
#pragma unroll 4
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += stride) {
        uint4 v = m[i];
        t += fee(v.x, free) + fee(v.y, free) + fee(v.z, free) + fee(v.w, free);
    }
    t = blockTotal(t);
#ifdef GOOD
    if (threadIdx.x == 0) out[1 + blockIdx.x] = t;          // one partial per block
#else
    if (threadIdx.x == 0) atomicAdd(out, t);                // one atomic per block
#endif
}

__global__ void gather(unsigned long long *out)
{
    unsigned long long t = 0;
    for (int i = threadIdx.x; i < BLOCKS; i += 256) t += out[1 + i];
    t = blockTotal(t);
    if (threadIdx.x == 0) out[0] = t;
}

int main(int argc, char **argv)
{
    int tariffs = argc > 1 ? atoi(argv[1]) : 120;
    const unsigned n4 = 1u << 26;
    uint4 *m;
    unsigned long long *out, total;
    CK(cudaMalloc(&m, (size_t)n4 * 16));
    CK(cudaMalloc(&out, (BLOCKS + 1) * 8));
    park<<<n4 / 256, 256>>>(m, n4);
    unsigned free = 0;
    for (int k = 0; k < tariffs; k++) {
        free = k % 30;
#ifdef GOOD
        revenue<<<BLOCKS, 256>>>(m, out, n4, free);
        gather<<<1, 256>>>(out);
#else
        CK(cudaMemsetAsync(out, 0, 8));
        revenue<<<BLOCKS, 256>>>(m, out, n4, free);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(&total, out, 8, cudaMemcpyDeviceToHost));
    double want = 0;
    const unsigned take = 1u << 20;
    for (unsigned i = 0; i < take; i++) {
        unsigned x = minutesOf(i * 255u);
        want += x > free ? (x - free) * 3.0 : 0.0;
    }
    bool ok = close_to(total / (4.0 * n4), want / take, 0.01);
    CK(cudaFree(m)); CK(cudaFree(out));
    return report(ok);
}
