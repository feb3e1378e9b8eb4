// Power grid: ampacity reserve of overhead line spans. From wind and load of an hour (of four in memory), how far every
// span is from the temperature at which it would sag too low.
// usage: feedersag spans hours
#include "common.h"

#define HOURS 4
#ifdef GOOD
#define THREADS 128
#else
#define THREADS 256
#endif

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline float windOf(unsigned i, int hour) { return 0.5f + (float)(scramble(i * 4u + hour) & 1023u) * 0.01f; }
__host__ __device__ inline float loadOf(unsigned i, int hour) { return (float)(scramble(i * 4u + hour + 77777u) & 4095u) * 0.2f; }

// kelvins below the limit of 80 degrees, at 25 degrees in the shade
__host__ __device__ inline float reserve(float wind, float amperes)
{
    return 55.0f - amperes * amperes * 7.0e-5f / (0.9f + 0.55f * wind);
}

__global__ void measure(float *wind, float *load, unsigned n, int hour)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        wind[i] = windOf(i, hour);
        load[i] = loadOf(i, hour);
    }
}

__global__ void __launch_bounds__(THREADS) rate(const float4 *__restrict__ wind, const float4 *__restrict__ load,
                                                float4 *__restrict__ spare, unsigned n4)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n4) return;
    float4 w = wind[i], a = load[i];
    spare[i] = make_float4(reserve(w.x, a.x), reserve(w.y, a.y), reserve(w.z, a.z), reserve(w.w, a.w));
}

int main(int argc, char **argv)
{
    const unsigned n = (argc > 1 ? atoi(argv[1]) : 67108864) / 4 * 4, n4 = n / 4;
    const int hours = argc > 2 ? atoi(argv[2]) : 5000;
    float *wind[HOURS], *load[HOURS], *spare;
    for (int h = 0; h < HOURS; ++h) {
        CK(cudaMalloc(&wind[h], n * sizeof(float)));
        CK(cudaMalloc(&load[h], n * sizeof(float)));
        measure<<<1056, 256>>>(wind[h], load[h], n, h);
    }
    CK(cudaMalloc(&spare, n * sizeof(float)));
    for (int h = 0; h < hours; ++h)
        rate<<<(n4 + THREADS - 1) / THREADS, THREADS>>>((const float4 *)wind[h % HOURS], (const float4 *)load[h % HOURS],
                                                        (float4 *)spare, n4);
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), spare, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    const int last = (hours - 1) % HOURS;
    for (int q = 0; q < 100000; ++q) {
        unsigned i = (unsigned)((unsigned long long)q * (n - 1) / 99999);
        double a = loadOf(i, last), want = 55.0 - a * a * 7.0e-5 / (0.9 + 0.55 * windOf(i, last));
        ok = ok && close_to(got[i], want, 1e-4);
        mean += want / 100000;
    }
    printf("mean reserve: %.3f K\n", mean);
    for (int h = 0; h < HOURS; ++h) { CK(cudaFree(wind[h])); CK(cudaFree(load[h])); }
    CK(cudaFree(spare));
    return report(ok);
}
