// Running totals per order inside packets of 1024 ticks: a segmented inclusive scan.
// Order numbers rise within a packet, one block treats one packet.
#include "common.h"

#ifndef PACKETS
#define PACKETS 65536
#endif
#define PK 1024

static __host__ __device__ inline unsigned hash32(unsigned u)
{
    u *= 2654435761u; u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
    return u;
}

// order number of tick i of a packet: runs of irregular lengths
static __host__ __device__ inline unsigned short order_of(unsigned packet, int i)
{
    int run = 3 + (int)(hash32(packet) % 90u);
    return (unsigned short)((i + (i >> 5)) / run);
}

__global__ void feed(unsigned short *ord, unsigned short *qty)
{
    unsigned k = blockIdx.x * PK + threadIdx.x;
    ord[k] = order_of(blockIdx.x, threadIdx.x);
    qty[k] = (unsigned short)(hash32(k) & 1023u);
}

__global__ void __launch_bounds__(PK) running(const unsigned short *__restrict__ ord,
                                             const unsigned short *__restrict__ qty,
                                             unsigned *__restrict__ total)
{
    int i = threadIdx.x;
    size_t k = (size_t)blockIdx.x * PK + i;
    unsigned v = qty[k];
    unsigned short o = ord[k];
#ifdef GOOD
    __shared__ unsigned wsum[32];
    __shared__ unsigned short word[32];
    int lane = i & 31, w = i >> 5;
    for (int d = 1; d < 32; d <<= 1) {
        unsigned u = __shfl_up_sync(0xffffffffu, v, d);
        unsigned q = __shfl_up_sync(0xffffffffu, (unsigned)o, d);
        if (lane >= d && q == o) v += u;
    }
    if (lane == 31) { wsum[w] = v; word[w] = o; }
    __syncthreads();
    if (w == 0) {
        unsigned t = wsum[lane], p = word[lane];
        for (int d = 1; d < 32; d <<= 1) {
            unsigned u = __shfl_up_sync(0xffffffffu, t, d);
            unsigned q = __shfl_up_sync(0xffffffffu, p, d);
            if (lane >= d && q == p) t += u;
        }
        wsum[lane] = t;
    }
    __syncthreads();
    if (w > 0 && word[w - 1] == o) v += wsum[w - 1];
#else
    __shared__ unsigned sv[PK];
    __shared__ unsigned short so[PK];
    sv[i] = v;
    so[i] = o;
    __syncthreads();
    for (int d = 1; d < PK; d <<= 1) {
        unsigned add = 0;
        if (i >= d && so[i - d] == o) add = sv[i - d];
        __syncthreads();
        v += add;
        sv[i] = v;
        __syncthreads();
    }
#endif
    total[k] = v;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 250;
    size_t n = (size_t)PACKETS * PK;
    unsigned short *ord, *qty;
    unsigned *total;
    CK(cudaMalloc(&ord, n * sizeof(*ord)));
    CK(cudaMalloc(&qty, n * sizeof(*qty)));
    CK(cudaMalloc(&total, n * sizeof(*total)));
    feed<<<PACKETS, PK>>>(ord, qty);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) running<<<PACKETS, PK>>>(ord, qty, total);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<unsigned> got(PK);
    for (int t = 0; t < 60; t++) {
        unsigned p = (unsigned)(((long long)t * 7919) % PACKETS);
        CK(cudaMemcpy(got.data(), total + (size_t)p * PK, PK * sizeof(unsigned), cudaMemcpyDeviceToHost));
        unsigned acc = 0;
        for (int i = 0; i < PK; i++) {
            if (i == 0 || order_of(p, i) != order_of(p, i - 1)) acc = 0;
            acc += hash32(p * PK + i) & 1023u;
            ok = ok && got[i] == acc;
        }
    }
    CK(cudaFree(ord)); CK(cudaFree(qty)); CK(cudaFree(total));
    return report(ok);
}
