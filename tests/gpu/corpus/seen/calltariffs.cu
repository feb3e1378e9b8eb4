// Telephone billing: every call record has one of 4096 destinations and a duration; price = setup fee of the
// destination and its rate per second, times the discount of the tariff that is tried out.
// usage: calltariffs calls tariffs
#include "common.h"

#define DESTINATIONS 4096
#define THREADS 512
#define BLOCKS 528

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline uint2 callOf(unsigned i)
{
    unsigned h = scramble(i + 3u);
    return make_uint2(h % DESTINATIONS, 1u + (h >> 20));
}

__global__ void record_calls(uint2 *call, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) call[i] = callOf(i);
}

#ifndef GOOD
__constant__ float2 fees[DESTINATIONS];      // setup, per second
#endif

__device__ inline float priceOf(float2 fee, unsigned seconds, float discount)
{
    return discount * (fee.x + fee.y * (float)seconds);
}

// two calls at a time
__global__ void rate(const uint4 *__restrict__ call, float2 *__restrict__ price, const float2 *__restrict__ feeTable,
                     unsigned pairs, float discount)
{
#ifdef GOOD
    __shared__ float2 fees[DESTINATIONS];
    for (int d = threadIdx.x; d < DESTINATIONS; d += THREADS) fees[d] = feeTable[d];
    __syncthreads();
#endif
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < pairs; i += gridDim.x * THREADS) {
        uint4 c = call[i];
        price[i] = make_float2(priceOf(fees[c.x], c.y, discount), priceOf(fees[c.z], c.w, discount));
    }
}

int main(int argc, char **argv)
{
    unsigned n = (argc > 1 ? atoi(argv[1]) : 33554432) / 2 * 2;
    int tariffs = argc > 2 ? atoi(argv[2]) : 500;
    unsigned s = 49;
    std::vector<float2> fee(DESTINATIONS);
    for (auto &f : fee) f = make_float2(0.05f + 0.1f * frand(s), 0.001f + 0.01f * frand(s));
    uint2 *call; float *price; float2 *feeTable = nullptr;
    CK(cudaMalloc(&call, n * sizeof(uint2)));
    CK(cudaMalloc(&price, n * sizeof(float)));
#ifdef GOOD
    CK(cudaMalloc(&feeTable, fee.size() * sizeof(float2)));
    CK(cudaMemcpy(feeTable, fee.data(), fee.size() * sizeof(float2), cudaMemcpyHostToDevice));
#else
    CK(cudaMemcpyToSymbol(fees, fee.data(), fee.size() * sizeof(float2)));
#endif
    record_calls<<<1056, 256>>>(call, n);
    float discount = 1.0f;
    for (int t = 0; t < tariffs; ++t) {
        discount = 1.0f - 0.002f * (float)(t % 100);
        rate<<<BLOCKS, THREADS>>>((const uint4 *)call, (float2 *)price, feeTable, n / 2, discount);
    }
    CK(cudaGetLastError());
    std::vector<float> p(n);
    CK(cudaMemcpy(p.data(), price, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double total = 0;
    for (unsigned i = 0; i < n; ++i) {
        total += p[i];
        if (i % 13 == 0 || i + 5 > n) {
            uint2 c = callOf(i);
            double want = discount * (fee[c.x].x + (double)fee[c.x].y * c.y);
            ok = ok && fabs(p[i] - want) <= 1e-4 * want;
        }
    }
    printf("%u calls, %.2f\n", n, total);
    CK(cudaFree(call)); CK(cudaFree(price));
    if (feeTable) CK(cudaFree(feeTable));
    return report(ok);
}
