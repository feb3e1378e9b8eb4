// EEG brain-computer interface: 24 spatial filters over 16 electrodes at every time sample; the index of the
// filter with the largest power is kept.
#include "common.h"

static const int CH = 16, FILT = 24;
static const int N = 4 * 1024 * 1024;

static __host__ __device__ float sample_at(int c, int t)
{
    unsigned h = (unsigned)(c * 8388617 + t) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 0xffff) * (1.0f / 32768.0f) - 1.0f;
}

__global__ void record(float *eeg)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < N)
        for (int c = 0; c < CH; c++) eeg[(size_t)c * N + t] = sample_at(c, t);
}

#ifdef GOOD
__constant__ float csp_w[FILT * CH];
__global__ void csp_strongest(const float *eeg, float *power, unsigned char *which)
#else
__global__ void csp_strongest(const float *eeg, const float *csp_w, float *power, unsigned char *which)
#endif
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= N) return;
    float x[CH];
#pragma unroll
    for (int c = 0; c < CH; c++) x[c] = eeg[(size_t)c * N + t];
    float best = -1.0f;
    int arg = 0;
#pragma unroll
    for (int f = 0; f < FILT; f++) {
        float y = 0.0f;
#pragma unroll
        for (int c = 0; c < CH; c++) y += csp_w[f * CH + c] * x[c];
        float p = y * y;
        if (p > best) { best = p; arg = f; }
    }
    power[t] = best;
    which[t] = (unsigned char)arg;
}

int main(int argc, char **argv)
{
    int trials = argc > 1 ? atoi(argv[1]) : 350;
    float *eeg, *power;
    unsigned char *which;
    CK(cudaMalloc(&eeg, (size_t)CH * N * sizeof(float)));
    CK(cudaMalloc(&power, N * sizeof(float)));
    CK(cudaMalloc(&which, N));
    record<<<N / 256, 256>>>(eeg);
    CK(cudaGetLastError());

    std::vector<float> w(FILT * CH);
    unsigned seed = 5;
    for (auto &v : w) v = frand(seed) - 0.5f;
#ifdef GOOD
    CK(cudaMemcpyToSymbol(csp_w, w.data(), w.size() * sizeof(float)));
#else
    float *dw;
    CK(cudaMalloc(&dw, w.size() * sizeof(float)));
    CK(cudaMemcpy(dw, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice));
#endif
    for (int i = 0; i < trials; i++) {
#ifdef GOOD
        csp_strongest<<<N / 256, 256>>>(eeg, power, which);
#else
        csp_strongest<<<N / 256, 256>>>(eeg, dw, power, which);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int t = 5; t < N; t += N / 7) {
        double best = -1;
        for (int f = 0; f < FILT; f++) {
            double y = 0;
            for (int c = 0; c < CH; c++) y += (double)w[f * CH + c] * sample_at(c, t);
            best = std::max(best, y * y);
        }
        float v;
        CK(cudaMemcpy(&v, power + t, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, best, 1e-4);
    }
#ifndef GOOD
    cudaFree(dw);
#endif
    cudaFree(eeg); cudaFree(power); cudaFree(which);
    return report(ok);
}
