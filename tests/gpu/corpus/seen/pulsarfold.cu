// Pulsar search: fold a long detected time series at many trial periods. Every
// sample falls into one of 1024 phase bins of the trial; the profile with the
// largest chi-square wins.
#include "common.h"

constexpr int SAMPLES = 1 << 25, BINS = 1024;
constexpr double TRUE_PERIOD = 2111.3;

__host__ __device__ inline unsigned phase_step(double period) { return (unsigned)(4294967296.0 / period); }

__host__ __device__ inline short adc(unsigned i, unsigned step)
{
    unsigned x = i * 0x9E3779B1u; x ^= x >> 15; x *= 0x85EBCA77u; x ^= x >> 13;
    int v = (int)(x & 127) + 64;
    unsigned ph = (i * step) >> 22;
    return (short)(ph >= 400 && ph < 432 ? v + 6 : v);
}

__global__ void observe(short *s, unsigned step)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    s[i] = adc(i, step);
}

__global__ void fold(const short *s, unsigned step, int *sum, int *hits)
{
#ifdef GOOD
    __shared__ int bsum[BINS], bhits[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) bsum[b] = bhits[b] = 0;
    __syncthreads();
#else
    int *bsum = sum, *bhits = hits;
#endif
    const short2 *s2 = (const short2 *)s;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < SAMPLES / 2; i += gridDim.x * blockDim.x) {
        short2 v = s2[i];
        unsigned a = (2 * i * step) >> 22, b = ((2 * i + 1) * step) >> 22;
        atomicAdd(&bsum[a], (int)v.x);
        atomicAdd(&bhits[a], 1);
        atomicAdd(&bsum[b], (int)v.y);
        atomicAdd(&bhits[b], 1);
    }
#ifdef GOOD
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        atomicAdd(&sum[b], bsum[b]);
        atomicAdd(&hits[b], bhits[b]);
    }
#endif
}

int main(int argc, char **argv)
{
    int trials = argc > 1 ? atoi(argv[1]) : 240;
    short *s;
    int *prof;
    size_t np = (size_t)trials * 2 * BINS;
    CK(cudaMalloc(&s, SAMPLES * sizeof(short)));
    CK(cudaMalloc(&prof, np * sizeof(int)));
    CK(cudaMemset(prof, 0, np * sizeof(int)));
    observe<<<SAMPLES / 256, 256>>>(s, phase_step(TRUE_PERIOD));
    CK(cudaGetLastError());

    std::vector<double> period(trials);
    for (int t = 0; t < trials; t++) period[t] = TRUE_PERIOD * (1.0 + 0.002 * (t - trials / 2));
    for (int t = 0; t < trials; t++)
        fold<<<1056, 256>>>(s, phase_step(period[t]), prof + (size_t)t * 2 * BINS, prof + (size_t)t * 2 * BINS + BINS);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<int> h(np);
    CK(cudaMemcpy(h.data(), prof, np * sizeof(int), cudaMemcpyDeviceToHost));
    long long total = 0;
    unsigned st = phase_step(TRUE_PERIOD);
    for (unsigned i = 0; i < SAMPLES; i++) total += adc(i, st);
    bool ok = true;
    int best = 0;
    double best_chi = -1;
    for (int t = 0; t < trials; t++) {
        const int *sum = &h[(size_t)t * 2 * BINS], *hits = sum + BINS;
        long long n = 0, sm = 0;
        double mean = (double)total / SAMPLES, chi = 0;
        for (int b = 0; b < BINS; b++) {
            n += hits[b];
            sm += sum[b];
            double d = (double)sum[b] / std::max(hits[b], 1) - mean;
            chi += d * d * hits[b];
        }
        ok = ok && n == SAMPLES && sm == total;
        if (chi > best_chi) { best_chi = chi; best = t; }
    }
    printf("best period %.3f\n", period[best]);
    ok = ok && best == trials / 2;
    CK(cudaFree(s)); CK(cudaFree(prof));
    return report(ok);
}
