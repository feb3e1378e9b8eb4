// Nutrition labels of a canteen kitchen: each ingredient of each recipe is scaled to the number of guests, loses weight in
// cooking, is turned into energy and rounded as the law wants it.
// usage: stewlabels ingredients menus
#include "common.h"

#define THREADS 256

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline float gramsOf(unsigned i) { return 5.0f + (float)(scramble(i) & 255u); }
__host__ __device__ inline float yieldOf(unsigned i) { return 0.6f + (float)(scramble(i + 7u) & 63u) * 0.00625f; }
__host__ __device__ inline float energyOf(unsigned i) { return 0.2f + (float)(scramble(i ^ 0x5bd1e995u) & 511u) * 0.015f; }

__host__ __device__ inline float scaled(float grams, float guests) { return grams * guests * 0.25f; }
__host__ __device__ inline float cooked(float grams, float yield) { return grams * yield; }
__host__ __device__ inline float kilojoules(float grams, float energy) { return grams * energy * 4.184f; }
__host__ __device__ inline float rounded(float kj, float step) { return floorf(kj / step + 0.5f) * step; }

__global__ void stock(float *grams, float *yield, float *energy, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        grams[i] = gramsOf(i);
        yield[i] = yieldOf(i);
        energy[i] = energyOf(i);
    }
}

#define FOUR(f, a, b) make_float4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w))
#define FOUR1(f, a, b) make_float4(f(a.x, b), f(a.y, b), f(a.z, b), f(a.w, b))

#ifdef GOOD
__global__ void __launch_bounds__(THREADS) label(const float4 *__restrict__ grams, const float4 *__restrict__ yield,
                                                 const float4 *__restrict__ energy, float4 *__restrict__ out, unsigned n4,
                                                 float guests, float step)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n4) return;
    float4 g = grams[i], y = yield[i], e = energy[i];
    g = FOUR1(scaled, g, guests);
    g = FOUR(cooked, g, y);
    g = FOUR(kilojoules, g, e);
    out[i] = FOUR1(rounded, g, step);
}
#else
__global__ void __launch_bounds__(THREADS) scale(const float4 *__restrict__ grams, float4 *__restrict__ out, unsigned n4,
                                                 float guests)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n4) return;
    float4 g = grams[i];
    out[i] = FOUR1(scaled, g, guests);
}

__global__ void __launch_bounds__(THREADS) cook(float4 *__restrict__ amount, const float4 *__restrict__ yield, unsigned n4)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n4) return;
    float4 g = amount[i], y = yield[i];
    amount[i] = FOUR(cooked, g, y);
}

__global__ void __launch_bounds__(THREADS) to_energy(float4 *__restrict__ amount, const float4 *__restrict__ energy,
                                                     unsigned n4)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n4) return;
    float4 g = amount[i], e = energy[i];
    amount[i] = FOUR(kilojoules, g, e);
}

__global__ void __launch_bounds__(THREADS) round_off(float4 *__restrict__ amount, unsigned n4, float step)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n4) return;
    float4 g = amount[i];
    amount[i] = FOUR1(rounded, g, step);
}
#endif

int main(int argc, char **argv)
{
    const unsigned n = (argc > 1 ? atoi(argv[1]) : 33554432) / 4 * 4, n4 = n / 4;
    const int menus = argc > 2 ? atoi(argv[2]) : 3000;
    float *grams, *yield, *energy, *out;
    CK(cudaMalloc(&grams, n * sizeof(float)));
    CK(cudaMalloc(&yield, n * sizeof(float)));
    CK(cudaMalloc(&energy, n * sizeof(float)));
    CK(cudaMalloc(&out, n * sizeof(float)));
    stock<<<1056, THREADS>>>(grams, yield, energy, n);
    const unsigned blocks = (n4 + THREADS - 1) / THREADS;
    float guests = 0, step = 0;
    for (int m = 0; m < menus; ++m) {
        guests = (float)(20 + m % 180);
        step = m % 2 ? 5.0f : 10.0f;
#ifdef GOOD
        label<<<blocks, THREADS>>>((const float4 *)grams, (const float4 *)yield, (const float4 *)energy, (float4 *)out, n4,
                                   guests, step);
#else
        scale<<<blocks, THREADS>>>((const float4 *)grams, (float4 *)out, n4, guests);
        cook<<<blocks, THREADS>>>((float4 *)out, (const float4 *)yield, n4);
        to_energy<<<blocks, THREADS>>>((float4 *)out, (const float4 *)energy, n4);
        round_off<<<blocks, THREADS>>>((float4 *)out, n4, step);
#endif
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double sum = 0;
    for (unsigned q = 0; q < 200000; ++q) {
        unsigned i = (unsigned)((unsigned long long)q * (n - 1) / 199999);
        double kj = (double)gramsOf(i) * guests * 0.25 * yieldOf(i) * energyOf(i) * 4.184;
        ok = ok && fabs(got[i] - kj) <= 0.5 * step + 1e-5 * kj && fabs(got[i] - step * rint(got[i] / step)) < 1e-3 * step;
        sum += got[i];
    }
    printf("mean energy: %.2f kJ\n", sum / 200000);
    CK(cudaFree(grams)); CK(cudaFree(yield)); CK(cudaFree(energy)); CK(cudaFree(out));
    return report(ok);
}
