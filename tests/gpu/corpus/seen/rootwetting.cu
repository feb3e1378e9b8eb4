// Soil water: many columns of 24 layers with evaporation at the top and free drainage at the bottom; implicit steps (a
// tridiagonal system each) with a conductivity that grows with the moisture.
// usage: rootwetting columns days [layers]
#include "common.h"

#define MOST 24
#define STEPS 16             // per day
#define THREADS 128

__host__ __device__ inline float conductivity(float m) { return 0.02f + 0.9f * m * m * m; }

struct Weather { float rain, evaporation; };

__host__ __device__ inline float moistureAt(int layer, int column)
{
    return 0.25f + 0.01f * (float)((layer * 7 + column % 97) % 13);
}

__global__ void moisten(float *moisture, int columns, int layers)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < columns)
        for (int k = 0; k < layers; ++k) moisture[(size_t)k * columns + c] = moistureAt(k, c);
}

// m: moisture of the layers, below, right: workspace
#ifdef GOOD
#define EACH _Pragma("unroll") for
#else
#define EACH for
#endif

__device__ inline void step(float *m, float *right, float *below, Weather today, float supply, int layers)
{
    // forward: the equation of layer k is  -a m[k-1] + (1 + a + b) m[k] - b m[k+1] = rhs
    float a = 0.0f, last = 0.0f, lastRight = 0.0f;
    EACH (int k = 0; k < layers; ++k) {
        float b = k + 1 < layers ? conductivity(0.5f * (m[k] + m[k + 1])) : 0.0f;
        float rhs = m[k];
        if (k == 0) rhs += today.rain * supply - today.evaporation * m[k];
        if (k == layers - 1) rhs -= 0.05f * conductivity(m[k]);
        float scale = 1.0f / (1.0f + a + b - a * last);
        last = b * scale;
        lastRight = (rhs + a * lastRight) * scale;
        below[k] = last;
        right[k] = lastRight;
        a = b;
    }
    float up = 0.0f;
    EACH (int k = layers - 1; k >= 0; --k) {
        up = right[k] + below[k] * up;
        m[k] = up;
    }
}

__global__ void __launch_bounds__(THREADS) one_day(float *__restrict__ moisture, int columns, Weather today, int layers)
{
#ifdef GOOD
    layers = MOST;                                       // known when it is compiled
#endif
    const int c = blockIdx.x * THREADS + threadIdx.x;
    if (c >= columns) return;
    float m[MOST + 1], right[MOST], below[MOST];
    EACH (int k = 0; k < layers; ++k) m[k] = moisture[(size_t)k * columns + c];
    #pragma unroll 1
    for (int s = 0; s < STEPS; ++s) step(m, right, below, today, s < 8 ? 1.0f : 0.5f, layers);
    EACH (int k = 0; k < layers; ++k) moisture[(size_t)k * columns + c] = m[k];
}

static Weather weatherOf(int day)
{
    Weather w = {day % 5 == 0 ? 0.006f : 0.0005f, 0.002f + 0.001f * (float)(day % 7)};
    return w;
}

int main(int argc, char **argv)
{
    const int columns = argc > 1 ? atoi(argv[1]) : 253440, days = argc > 2 ? atoi(argv[2]) : 1300;
#ifdef GOOD
    const int layers = MOST;
#else
    const int layers = std::min(MOST, argc > 3 ? atoi(argv[3]) : MOST);
#endif
    const size_t n = (size_t)layers * columns;
    float *moisture;
    CK(cudaMalloc(&moisture, n * sizeof(float)));
    moisten<<<(columns + 255) / 256, 256>>>(moisture, columns, layers);
    const int blocks = (columns + THREADS - 1) / THREADS;
    for (int d = 0; d < days; ++d) one_day<<<blocks, THREADS>>>(moisture, columns, weatherOf(d), layers);
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), moisture, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 12; ++q) {
        int c = (int)((long long)q * (columns - 1) / 11);
        double m[MOST + 1], right[MOST], below[MOST];
        for (int k = 0; k < layers; ++k) m[k] = moistureAt(k, c);
        for (int d = 0; d < days; ++d) {
            Weather w = weatherOf(d);
            for (int s = 0; s < STEPS; ++s) {
                double a = 0, last = 0, lastRight = 0, up = 0;
                for (int k = 0; k < layers; ++k) {
                    double mid = k + 1 < layers ? 0.5 * (m[k] + m[k + 1]) : 0;
                    double b = k + 1 < layers ? 0.02 + 0.9 * mid * mid * mid : 0, rhs = m[k];
                    if (k == 0) rhs += w.rain * (s < 8 ? 1.0 : 0.5) - w.evaporation * m[k];
                    if (k == layers - 1) rhs -= 0.05 * (0.02 + 0.9 * m[k] * m[k] * m[k]);
                    double scale = 1.0 / (1.0 + a + b - a * last);
                    below[k] = last = b * scale;
                    right[k] = lastRight = (rhs + a * lastRight) * scale;
                    a = b;
                }
                for (int k = layers - 1; k >= 0; --k) m[k] = up = right[k] + below[k] * up;
            }
        }
        for (int k = 0; k < layers; ++k) ok = ok && fabs(got[(size_t)k * columns + c] - m[k]) < 2e-3;
    }
    printf("moisture of the first column: %.5f %.5f\n", got[0], got[(size_t)(layers - 1) * columns]);
    CK(cudaFree(moisture));
    return report(ok);
}
