// Mountain huts without a mains connection: eight sizes of panel and battery are tried in many summers of cloudy weather,
// quarter hour by quarter hour.
// usage: hutbattery summers repetitions
#include "common.h"

#define SIZES 8
#define DAY 96               // quarter hours
#define STEPS (4 * DAY)
#ifdef GOOD
#define THREADS 256
#else
#define THREADS 1024
#endif

__constant__ float sun[DAY];

__host__ __device__ inline float clouds(unsigned &s)      // what they let through
{
    s = s * 1664525u + 1013904223u;
    return (float)(s >> 8) * (1.0f / 16777216.0f);
}
__host__ __device__ inline float charged(float charge, float power, float panel, float load, float full)
{
    return fminf(full, fmaxf(0.0f, charge * 0.9995f + (power * panel - load)));
}

__global__ void __launch_bounds__(THREADS) summer(float *__restrict__ left, int n, float load, unsigned year)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    unsigned s = (unsigned)i * 747796405u + year;
    float charge[SIZES];
    #pragma unroll
    for (int k = 0; k < SIZES; ++k) charge[k] = 2.0f + k;
    for (int d = 0; d < STEPS / DAY; ++d)
        #pragma unroll 4
        for (int t = 0; t < DAY; ++t) {
            float power = sun[t] * clouds(s);
            #pragma unroll
            for (int k = 0; k < SIZES; ++k) charge[k] = charged(charge[k], power, 0.4f + 0.1f * k, load, 4.0f + 2.0f * k);
        }
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < SIZES; ++k) sum += charge[k];
    left[i] = sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 2162688, reps = argc > 2 ? atoi(argv[2]) : 800;
    std::vector<float> light(DAY), got(n);
    for (int t = 0; t < DAY; ++t) light[t] = std::max(0.0f, sinf((float)(t - 24) * (3.14159265f / 56.0f))) * (t > 24 && t < 80 ? 1.0f : 0.0f);
    CK(cudaMemcpyToSymbol(sun, light.data(), DAY * sizeof(float)));
    float *left, load = 0.0f;
    CK(cudaMalloc(&left, n * sizeof(float)));
    for (int r = 0; r < reps; ++r) {
        load = 0.08f + 0.01f * (float)(r % 6);
        summer<<<(n + THREADS - 1) / THREADS, THREADS>>>(left, n, load, r);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(got.data(), left, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < n; i += 2003) {
        unsigned s = (unsigned)i * 747796405u + (unsigned)(reps - 1);
        float charge[SIZES], sum = 0.0f;
        for (int k = 0; k < SIZES; ++k) charge[k] = 2.0f + k;
        for (int t = 0; t < STEPS; ++t) {
            float power = light[t % DAY] * clouds(s);
            for (int k = 0; k < SIZES; ++k) charge[k] = charged(charge[k], power, 0.4f + 0.1f * k, load, 4.0f + 2.0f * k);
        }
        for (int k = 0; k < SIZES; ++k) sum += charge[k];
        ok = ok && close_to(got[i], sum, 1e-3);
    }
    printf("left in the first summer %.3f, in the last %.3f\n", got[0], got[n - 1]);
    CK(cudaFree(left));
    return report(ok);
}
