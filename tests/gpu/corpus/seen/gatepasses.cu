// Trade fair gates: how many of the scanned passes have been cancelled, for every gate's stream of scans.
//   gatepasses [days]
#include "common.h"

static const unsigned PASSES = 72000000u;

__host__ __device__ static inline unsigned blend(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ static inline bool is_cancelled(unsigned pass) { return blend(pass ^ 0x5bd1u) % 19 == 0; }
__host__ __device__ static inline unsigned scanned(unsigned i) { return (unsigned)(((unsigned long long)blend(i) * PASSES) >> 32); }

#ifdef GOOD
const unsigned WORDS = (PASSES + 31) / 32;
__global__ void cancel(unsigned *flags)
{
    for (unsigned w = blockIdx.x * blockDim.x + threadIdx.x; w < WORDS; w += gridDim.x * blockDim.x) {
        unsigned bits = 0;
        for (unsigned k = 0; k < 32; k++) bits |= (unsigned)is_cancelled(w * 32 + k) << k;
        flags[w] = bits;
    }
}
__device__ __forceinline__ unsigned look(const unsigned *__restrict__ flags, unsigned p) { return flags[p >> 5] >> (p & 31) & 1; }
#else
const unsigned WORDS = PASSES;
__global__ void cancel(unsigned *flags)
{
    for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < WORDS; p += gridDim.x * blockDim.x) flags[p] = is_cancelled(p);
}
__device__ __forceinline__ unsigned look(const unsigned *__restrict__ flags, unsigned p) { return flags[p]; }
#endif

__global__ void scan(unsigned *passes, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) passes[i] = scanned(i);
}

__global__ void refused(const uint4 *__restrict__ passes, unsigned quads, const unsigned *__restrict__ flags, unsigned *total)
{
    unsigned c = 0;
#pragma unroll 2
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uint4 p = passes[i];
        c += look(flags, p.x) + look(flags, p.y) + look(flags, p.z) + look(flags, p.w);
    }
    c = __reduce_add_sync(0xffffffffu, c);
    if ((threadIdx.x & 31) == 0) atomicAdd(total, c);
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 1400;
    const unsigned n = 50200000;
    unsigned *flags, *passes, *total, got, want = 0;
    CK(cudaMalloc(&flags, WORDS * sizeof(unsigned)));
    CK(cudaMalloc(&passes, n * sizeof(unsigned)));
    CK(cudaMalloc(&total, sizeof(unsigned)));
    cancel<<<132 * 8, 256>>>(flags);
    scan<<<132 * 8, 256>>>(passes, n);
    CK(cudaGetLastError());
    for (int d = 0; d < days; d++) {
        CK(cudaMemsetAsync(total, 0, sizeof(unsigned)));
        refused<<<132 * 8, 256>>>((const uint4 *)passes, n / 4, flags, total);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++) want += is_cancelled(scanned(i));
    printf("%u refused\n", got);
    cudaFree(flags); cudaFree(passes); cudaFree(total);
    return report(got == want);
}
