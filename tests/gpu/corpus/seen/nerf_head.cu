// Density head of a small radiance field: for every ray sample a 12-16-16-1 perceptron
// with ReLU; features are stored plane by plane, the weights are few.
#include "common.h"

#ifndef SAMPLES
#define SAMPLES (16 << 20)
#endif
#define NI 12
#define NHID 16
#define OFF1 (NI * NHID)
#define OFF2 (OFF1 + NHID * NHID)
#define OFFB (OFF2 + NHID)
#define NW (OFFB + 2 * NHID + 1)

#ifdef GOOD
__constant__ float cw[NW];
#endif

static __host__ __device__ inline float feature(unsigned i, int c)
{
    unsigned u = (i * 16u + c) * 2654435761u;
    u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
    return (u >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__global__ void encode(float *feat, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int c = 0; c < NI; c++) feat[(size_t)c * n + i] = feature(i, c);
}

__global__ void __launch_bounds__(256) head(const float *__restrict__ feat, const float *gw,
                                            float *sigma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef GOOD
    const float *w = cw;
#else
    const float *w = gw;
#endif
    float x[NI], h[NHID], g[NHID];
#pragma unroll
    for (int c = 0; c < NI; c++) x[c] = feat[(size_t)c * n + i];
#pragma unroll
    for (int o = 0; o < NHID; o++) {
        float s = w[OFFB + o];
#pragma unroll
        for (int c = 0; c < NI; c++) s += w[o * NI + c] * x[c];
        h[o] = fmaxf(s, 0.0f);
    }
#pragma unroll
    for (int o = 0; o < NHID; o++) {
        float s = w[OFFB + NHID + o];
#pragma unroll
        for (int c = 0; c < NHID; c++) s += w[OFF1 + o * NHID + c] * h[c];
        g[o] = fmaxf(s, 0.0f);
    }
    float s = w[OFFB + 2 * NHID];
#pragma unroll
    for (int c = 0; c < NHID; c++) s += w[OFF2 + c] * g[c];
    sigma[i] = fmaxf(s, 0.0f);
}

static double host_head(const std::vector<float> &w, unsigned i)
{
    double h[NHID], g[NHID], s;
    for (int o = 0; o < NHID; o++) {
        s = w[OFFB + o];
        for (int c = 0; c < NI; c++) s += (double)w[o * NI + c] * feature(i, c);
        h[o] = std::max(s, 0.0);
    }
    for (int o = 0; o < NHID; o++) {
        s = w[OFFB + NHID + o];
        for (int c = 0; c < NHID; c++) s += w[OFF1 + o * NHID + c] * h[c];
        g[o] = std::max(s, 0.0);
    }
    s = w[OFFB + 2 * NHID];
    for (int c = 0; c < NHID; c++) s += w[OFF2 + c] * g[c];
    return std::max(s, 0.0);
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 120;
    const int n = SAMPLES;
    std::vector<float> w(NW), got(n);
    unsigned seed = 31;
    for (auto &v : w) v = frand(seed) - 0.45f;
    float *feat, *dw, *sigma;
    CK(cudaMalloc(&feat, (size_t)n * NI * sizeof(float)));
    CK(cudaMalloc(&sigma, n * sizeof(float)));
    CK(cudaMalloc(&dw, NW * sizeof(float)));
    CK(cudaMemcpy(dw, w.data(), NW * sizeof(float), cudaMemcpyHostToDevice));
#ifdef GOOD
    CK(cudaMemcpyToSymbol(cw, w.data(), NW * sizeof(float)));
#endif
    encode<<<(n + 255) / 256, 256>>>(feat, n);
    CK(cudaGetLastError());
    for (int f = 0; f < frames; f++) head<<<(n + 255) / 256, 256>>>(feat, dw, sigma, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got.data(), sigma, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    int lit = 0;
    for (int t = 0; t < 3000; t++) {
        unsigned i = (unsigned)(((long long)t * 5591) % n);
        double ref = host_head(w, i);
        lit += ref > 0;
        ok = ok && close_to(got[i], ref, 1e-3);
    }
    printf("%d of 3000 samples lit\n", lit);
    CK(cudaFree(feat)); CK(cudaFree(sigma)); CK(cudaFree(dw));
    return report(ok && lit > 0);
}
