// Auction house: demand curve of an evening. For each of 64 price ticks the pieces wanted by all bids at that tick are
// added up, leaving out one bidder class in turn. Most bids are at the reserve price.
// usage: gavelcurve bids queries
#include "common.h"

#define TICKS 64
#define RESERVE 12u
#define THREADS 256
typedef unsigned long long Sum;

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

// bits 0-7 tick, 8-15 pieces, 16-19 class of the bidder
__host__ __device__ inline unsigned bidOf(unsigned i)
{
    unsigned h = scramble(i + 41u), kind = h & 15u, tick;
    if (kind < 11u) tick = RESERVE;
    else if (kind < 14u) tick = 16u + (h >> 4 & 3u) * 8u;
    else tick = h >> 4 & 63u;
    return tick | (1u + (h >> 12 & 7u)) << 8 | (h >> 20 & 15u) << 16;
}

__global__ void collect(unsigned *bid, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) bid[i] = bidOf(i);
}

#ifdef GOOD
#define COPIES 32            // one per lane
#else
#define COPIES 1
#endif

__device__ inline void bidFor(unsigned *wanted, unsigned b, unsigned without)
{
    if ((b >> 16 & 15u) != without) atomicAdd(&wanted[(b & 255u) * COPIES + threadIdx.x % COPIES], b >> 8 & 255u);
}

__global__ void __launch_bounds__(THREADS) demand(const uint4 *__restrict__ bid, unsigned n4, unsigned without, Sum *curve)
{
    __shared__ unsigned wanted[TICKS * COPIES];
    for (int k = threadIdx.x; k < TICKS * COPIES; k += THREADS) wanted[k] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n4; i += gridDim.x * THREADS) {
        uint4 b = bid[i];
        bidFor(wanted, b.x, without);
        bidFor(wanted, b.y, without);
        bidFor(wanted, b.z, without);
        bidFor(wanted, b.w, without);
    }
    __syncthreads();
#ifdef GOOD
    for (int t = threadIdx.x / 32; t < TICKS; t += THREADS / 32) {
        unsigned sum = __reduce_add_sync(0xffffffffu, wanted[t * COPIES + threadIdx.x % 32]);
        if (threadIdx.x % 32 == 0 && sum) atomicAdd(&curve[t], (Sum)sum);
    }
#else
    if (threadIdx.x < TICKS && wanted[threadIdx.x]) atomicAdd(&curve[threadIdx.x], (Sum)wanted[threadIdx.x]);
#endif
}

int main(int argc, char **argv)
{
    unsigned n = (argc > 1 ? atoi(argv[1]) : 67108864) / 4 * 4;
    int queries = argc > 2 ? atoi(argv[2]) : 2000;
    unsigned *bid; Sum *curve;
    const size_t bytes = (size_t)queries * TICKS * sizeof(Sum);
    CK(cudaMalloc(&bid, n * sizeof(unsigned)));
    CK(cudaMalloc(&curve, bytes));
    CK(cudaMemset(curve, 0, bytes));
    collect<<<1056, THREADS>>>(bid, n);
    for (int q = 0; q < queries; ++q)
        demand<<<1056, THREADS>>>((const uint4 *)bid, n / 4, (unsigned)q % 16u, curve + (size_t)q * TICKS);
    CK(cudaGetLastError());
    std::vector<Sum> got((size_t)queries * TICKS), want(TICKS, 0);
    CK(cudaMemcpy(got.data(), curve, bytes, cudaMemcpyDeviceToHost));

    const unsigned without = (unsigned)(queries - 1) % 16u;
    for (unsigned i = 0; i < n; ++i) {
        unsigned b = bidOf(i);
        if ((b >> 16 & 15u) != without) want[b & 255u] += b >> 8 & 255u;
    }
    bool ok = want[RESERVE] > 0;
    for (int t = 0; t < TICKS; ++t) ok = ok && got[(size_t)(queries - 1) * TICKS + t] == want[t];
    printf("at the reserve price: %llu\n", want[RESERVE]);
    CK(cudaFree(bid)); CK(cudaFree(curve));
    return report(ok);
}
