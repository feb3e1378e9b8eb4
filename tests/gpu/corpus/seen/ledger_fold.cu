// Audit totals of a ledger: sum of all amounts (in cents) and number of negative bookings.
#include "common.h"

const size_t ENTRIES = (size_t)1 << 27;

#ifdef GOOD
const int AHEAD = 8;                   // independent partial sums of a thread
#else
const int AHEAD = 4;
#endif

__device__ __host__ inline int amount(unsigned i)
{
    unsigned x = i * 2654435761u + 1u;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13;
    return (int)(x % 2000001u) - 900000;
}

__global__ void book(int *a)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = amount(i);
}

__global__ void __launch_bounds__(256) totals(const int4 *__restrict__ a, unsigned n4, unsigned long long *out)
{
    long long sum[AHEAD] = {};
    unsigned neg[AHEAD] = {};
    unsigned step = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += step * AHEAD) {
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (i + u * step < n4) {
                int4 v = a[i + u * step];
                sum[u] += v.x + v.y + v.z + v.w;
                neg[u] += ((unsigned)v.x >> 31) + ((unsigned)v.y >> 31) + ((unsigned)v.z >> 31) + ((unsigned)v.w >> 31);
            }
    }
    for (int u = 1; u < AHEAD; u++) { sum[0] += sum[u]; neg[0] += neg[u]; }
    for (int o = 16; o; o >>= 1) sum[0] += __shfl_down_sync(~0u, sum[0], o);
    neg[0] = __reduce_add_sync(~0u, neg[0]);
    __shared__ long long ps[8];
    __shared__ unsigned pn[8];
    if ((threadIdx.x & 31) == 0) { ps[threadIdx.x >> 5] = sum[0]; pn[threadIdx.x >> 5] = neg[0]; }
    __syncthreads();
    if (threadIdx.x == 0) {
        long long s = 0;
        unsigned c = 0;
        for (int w = 0; w < 8; w++) { s += ps[w]; c += pn[w]; }
        atomicAdd(out, (unsigned long long)s);
        atomicAdd(out + 1, (unsigned long long)c);
    }
}

int main(int argc, char **argv)
{
    int audits = argc > 1 ? atoi(argv[1]) : 320;
    int *a;
    unsigned long long *out;
    CK(cudaMalloc(&a, ENTRIES * sizeof(int)));
    CK(cudaMalloc(&out, 2 * sizeof(*out)));
    book<<<(unsigned)(ENTRIES / 256), 256>>>(a);
    CK(cudaGetLastError());
    for (int k = 0; k < audits; k++) {
        CK(cudaMemsetAsync(out, 0, 2 * sizeof(*out)));
        totals<<<132 * 6, 256>>>((const int4 *)a, (unsigned)(ENTRIES / 4), out);
    }
    CK(cudaGetLastError());
    unsigned long long h[2];
    CK(cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost));
    long long s = 0, c = 0;
    for (unsigned i = 0; i < ENTRIES; i++) { int v = amount(i); s += v; c += v < 0; }
    printf("balance %.2f, %lld negative\n", s / 100.0, c);
    bool ok = (long long)h[0] == s && (long long)h[1] == c;
    CK(cudaFree(a));
    CK(cudaFree(out));
    return report(ok);
}
