// Distributed unit hydrographs: every cell of a catchment turns the rain of a storm into a discharge, through a soil
// store and a unit hydrograph of 24 ordinates; its peak is kept for each storm.
// usage: unithydro cells storms
#include "common.h"

#define ORDINATES 24
#define HOURS 240
#define GAUGE 8              // cells to a point of the rain grid
#define THREADS 128

__constant__ float ordinate[ORDINATES];

__host__ __device__ inline float runoff(float rain, float &store, float size)
{
    float full = store / size;
    float out = rain * full * full;
    store = fminf(store + rain - out, size) * 0.995f;
    return out;
}

__global__ void __launch_bounds__(THREADS) peak_flow(const float *__restrict__ rain, const float *__restrict__ size,
                                                     float *__restrict__ peak, int cells, float strength)
{
    int c = blockIdx.x * THREADS + threadIdx.x;
    if (c >= cells) return;
    const float mine = size[c], invSize = 1.0f / mine;
    const int points = cells / GAUGE;
    float store = 0.4f * mine, highest = 0.0f;
#ifdef GOOD
    float coming[ORDINATES - 1];                         // discharge of the hours to come
    #pragma unroll
    for (int k = 0; k < ORDINATES - 1; ++k) coming[k] = 0.0f;
#else
    float past[ORDINATES];                               // runoff of the last hours, a ring
    for (int k = 0; k < ORDINATES; ++k) past[k] = 0.0f;
    int head = 0;
#endif
    float next = rain[c / GAUGE];
    for (int t = 0; t < HOURS; ++t) {
        float r = strength * next;
        next = rain[(size_t)min(t + 1, HOURS - 1) * points + c / GAUGE];
        float full = store * invSize, out = r * full * full;
        store = fminf(store + r - out, mine) * 0.995f;
#ifdef GOOD
        float flow = coming[0] + ordinate[0] * out;
        #pragma unroll
        for (int k = 0; k < ORDINATES - 2; ++k) coming[k] = coming[k + 1] + ordinate[k + 1] * out;
        coming[ORDINATES - 2] = ordinate[ORDINATES - 1] * out;
#else
        past[head] = out;
        float flow = 0.0f;
        int at = head;
        #pragma unroll 8
        for (int k = 0; k < ORDINATES; ++k) {
            flow += ordinate[k] * past[at];
            at = at == 0 ? ORDINATES - 1 : at - 1;
        }
        head = head + 1 == ORDINATES ? 0 : head + 1;
#endif
        highest = fmaxf(highest, flow);
    }
    peak[c] = highest;
}

int main(int argc, char **argv)
{
    const int cells = (argc > 1 ? atoi(argv[1]) : 1 << 20) / THREADS * THREADS, storms = argc > 2 ? atoi(argv[2]) : 700;
    const int points = cells / GAUGE;
    std::vector<float> rain((size_t)points * HOURS), size(cells), uh(ORDINATES), peak(cells);
    unsigned s = 1953;
    for (int t = 0; t < HOURS; ++t)
        for (int p = 0; p < points; ++p)
            rain[(size_t)t * points + p] = frand(s) < 0.3f ? 12.0f * frand(s) * (t > 60 && t < 110 ? 2.0f : 0.5f) : 0.0f;
    for (float &x : size) x = 60.0f + 80.0f * frand(s);
    float sum = 0.0f;
    for (int k = 0; k < ORDINATES; ++k) { uh[k] = (k + 1.0f) * expf(-0.35f * k); sum += uh[k]; }
    for (float &u : uh) u /= sum;
    float *drain, *dsize, *dpeak;
    CK(cudaMalloc(&drain, rain.size() * sizeof(float)));
    CK(cudaMalloc(&dsize, cells * sizeof(float)));
    CK(cudaMalloc(&dpeak, cells * sizeof(float)));
    CK(cudaMemcpy(drain, rain.data(), rain.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dsize, size.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(ordinate, uh.data(), ORDINATES * sizeof(float)));
    float strength = 1.0f;
    for (int k = 0; k < storms; ++k) {
        strength = 0.5f + 1.5f * (float)(k + 1) / (float)storms;
        peak_flow<<<cells / THREADS, THREADS>>>(drain, dsize, dpeak, cells, strength);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(peak.data(), dpeak, cells * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 200; ++q) {
        int c = (int)((long long)q * (cells - 1) / 199);
        float store = 0.4f * size[c];
        double out[HOURS], highest = 0;
        for (int t = 0; t < HOURS; ++t) {
            out[t] = runoff(strength * rain[(size_t)t * points + c / GAUGE], store, size[c]);
            double flow = 0;
            for (int k = 0; k < ORDINATES && k <= t; ++k) flow += uh[k] * out[t - k];
            highest = std::max(highest, flow);
        }
        ok = ok && highest > 0 && close_to(peak[c], highest, 2e-3);
    }
    printf("peak of cell 0: %.4f\n", peak[0]);
    CK(cudaFree(drain)); CK(cudaFree(dsize)); CK(cudaFree(dpeak));
    return report(ok);
}
