// Asian option with a look-back rider: payoff from the average of the last fixings of a year of
// trading days and from the highest price of the year. Each block prices its own paths.
#include "common.h"

#ifndef PATHS
#define PATHS (1 << 22)
#endif
const int DAYS = 252, FIXINGS = 40, BLOCK = 128;

struct Contract
{
    float spot, strike, cap, drift, vol;       // drift and volatility a day
};

__host__ __device__ inline unsigned spin(unsigned &s)
{
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    return s;
}
__host__ __device__ inline unsigned first_state(unsigned path)
{
    unsigned x = path * 2654435761u + 97u;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
    return x | 1u;
}
__host__ __device__ inline float gauss(unsigned &s)
{
    float u = ((spin(s) >> 8) + 0.5f) * (1.0f / 16777216.0f), v = (spin(s) >> 8) * (1.0f / 16777216.0f);
#ifdef __CUDA_ARCH__
    return sqrtf(fmaxf(-2.0f * __logf(u), 0.0f)) * __cosf(6.2831853f * (v - 0.5f));
#else
    return sqrtf(fmaxf(-2.0f * logf(u), 0.0f)) * cosf(6.2831853f * (v - 0.5f));
#endif
}
__host__ __device__ inline float payoff(const Contract &c, float mean, float high)
{
    return fmaxf(mean - c.strike, 0.0f) + 0.1f * fmaxf(fminf(high, c.cap) - c.strike, 0.0f);
}

__global__ void __launch_bounds__(BLOCK) paths(Contract c, double *__restrict__ out)
{
    unsigned s = first_state(blockIdx.x * BLOCK + threadIdx.x);
    float x = 0.0f, total = 0.0f, high = c.spot;
#ifdef GOOD
    for (int d = 0; d < DAYS; d++) {
        x += c.drift + c.vol * gauss(s);
        float price = c.spot * __expf(x);
        if (d >= DAYS - FIXINGS) total += price;
        high = fmaxf(high, price);
    }
#else
    extern __shared__ float price[];           // [day][path]
    for (int d = 0; d < DAYS; d++) {
        x += c.drift + c.vol * gauss(s);
        price[d * BLOCK + threadIdx.x] = c.spot * __expf(x);
    }
    for (int d = DAYS - FIXINGS; d < DAYS; d++) total += price[d * BLOCK + threadIdx.x];
    for (int d = 0; d < DAYS; d++) high = fmaxf(high, price[d * BLOCK + threadIdx.x]);
#endif
    float value = payoff(c, total / FIXINGS, high);
    for (int d = 16; d > 0; d >>= 1) value += __shfl_xor_sync(~0u, value, d);
    __shared__ float part[BLOCK / 32];
    if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0;
        for (float p : part) sum += p;
        out[blockIdx.x] = sum;
    }
}

int main(int argc, char **argv)
{
    int revaluations = argc > 1 ? atoi(argv[1]) : 350;
    const int blocks = PATHS / BLOCK;
    double *out;
    CK(cudaMalloc(&out, blocks * sizeof(double)));
#ifdef GOOD
    const size_t bytes = 0;
#else
    const size_t bytes = (size_t)DAYS * BLOCK * sizeof(float);
    CK(cudaFuncSetAttribute(paths, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
#endif
    Contract c = {100.0f, 101.0f, 150.0f, 0.0001f, 0.0126f};
    for (int r = 0; r < revaluations; r++) {
        c.spot = 100.0f + 0.01f * r;
        paths<<<blocks, BLOCK, bytes>>>(c, out);
        CK(cudaGetLastError());
    }
    std::vector<double> got(blocks);
    CK(cudaMemcpy(got.data(), out, blocks * sizeof(double), cudaMemcpyDeviceToHost));
    double price = 0;
    for (double g : got) price += g;
    printf("price %.4f\n", price / PATHS);

    bool ok = true;
    for (int t = 0; t < 8; t++) {
        int b = (int)((t * 4099u + 2u) % blocks);
        double ref = 0;
        for (int p = b * BLOCK; p < (b + 1) * BLOCK; p++) {
            unsigned s = first_state(p);
            double x = 0, total = 0, high = c.spot;
            for (int d = 0; d < DAYS; d++) {
                x += c.drift + c.vol * gauss(s);
                double now = c.spot * exp(x);
                if (d >= DAYS - FIXINGS) total += now;
                high = std::max(high, now);
            }
            ref += payoff(c, (float)(total / FIXINGS), (float)high);
        }
        ok = ok && close_to(got[b], ref, 3e-3);
    }
    CK(cudaFree(out));
    return report(ok);
}
