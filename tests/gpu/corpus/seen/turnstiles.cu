// Metro operator: passengers through all turnstiles and the number of idle minutes, from a year of minute counts.
//   turnstiles [years]
#include "common.h"

__host__ __device__ static inline unsigned char count_at(unsigned i)
{
    unsigned x = i * 0x9e3779b1u;
    x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13;
    return (x & 3) == 0 ? 0 : (x >> 8) & 63;
}

__global__ void fill(unsigned char *c, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = count_at(i);
}

__device__ __forceinline__ unsigned warp_total(unsigned v)
{
#ifdef GOOD
    return __reduce_add_sync(0xffffffffu, v);
#else
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
#endif
}

__device__ __forceinline__ void take(unsigned w, unsigned &people, unsigned &idle)
{
    people = __dp4a(w, 0x01010101u, people);
    unsigned t = (w & 0x7f7f7f7fu) + 0x7f7f7f7fu;
    idle += __popc(~(t | w) & 0x80808080u);
}

__global__ void __launch_bounds__(256) tally(const uint4 *__restrict__ c, unsigned groups, unsigned long long *out)
{
    unsigned people = 0, idle = 0;
#pragma unroll 4
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < groups; i += gridDim.x * 256) {
        uint4 q = c[i];
        take(q.x, people, idle);
        take(q.y, people, idle);
        take(q.z, people, idle);
        take(q.w, people, idle);
    }
    people = warp_total(people);
    idle = warp_total(idle);
    __shared__ unsigned part[2][8];
    if ((threadIdx.x & 31) == 0) { part[0][threadIdx.x >> 5] = people; part[1][threadIdx.x >> 5] = idle; }
    __syncthreads();
    if (threadIdx.x < 2) {
        unsigned long long s = 0;
        for (int w = 0; w < 8; w++) s += part[threadIdx.x][w];
        atomicAdd(out + threadIdx.x, s);
    }
}

int main(int argc, char **argv)
{
    int years = argc > 1 ? atoi(argv[1]) : 8000;
    const unsigned n = 16u * 32850001u;
    unsigned char *c;
    unsigned long long *out, got[2], want[2] = {};
    CK(cudaMalloc(&c, n));
    CK(cudaMalloc(&out, sizeof got));
    fill<<<132 * 8, 256>>>(c, n);
    CK(cudaGetLastError());
    for (int y = 0; y < years; y++) {
        CK(cudaMemsetAsync(out, 0, sizeof got));
        tally<<<132 * 8, 256>>>((const uint4 *)c, n / 16, out);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++) { unsigned v = count_at(i); want[0] += v; want[1] += v == 0; }
    printf("%llu passengers, %llu idle minutes\n", got[0], got[1]);
    cudaFree(c);
    cudaFree(out);
    return report(got[0] == want[0] && got[1] == want[1]);
}
