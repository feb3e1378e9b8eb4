// Battery fleet: for every cell integrate the charge drawn until its voltage first falls
// below the cut-off. The log is stored sample-major, so that lanes read neighbours.
#include "common.h"

#define SAMPLES 8192

__host__ __device__ static inline float noise(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return (h & 0xffff) * (1.0f / 65536.0f);
}
__host__ __device__ static inline float volt(unsigned cell, unsigned s)
{
    return 4.1f - 1.0f * s / SAMPLES - 0.02f * noise(cell * 9781u + s * 7u);
}
__global__ void fillLog(float *v, int cells)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    v[i] = volt((unsigned)(i % cells), (unsigned)(i / cells));
}

__global__ void drawn(const float *__restrict__ v, float *__restrict__ charge, int *__restrict__ when,
                      int cells, float cutoff)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) return;
    float q = 0.f;
    int s = 0;
#ifdef GOOD
    // eight samples in flight at once
    for (; s + 8 <= SAMPLES; s += 8) {
        float x[8];
        bool hit = false;
#pragma unroll
        for (int k = 0; k < 8; k++) x[k] = v[(size_t)(s + k) * cells + c];
#pragma unroll
        for (int k = 0; k < 8; k++) hit |= x[k] < cutoff;
        if (hit) break;
#pragma unroll
        for (int k = 0; k < 8; k++) q += x[k] * 0.01f;
    }
#endif
    while (s < SAMPLES) {
        float x = v[(size_t)s * cells + c];
        if (x < cutoff) break;
        q += x * 0.01f;
        s++;
    }
    charge[c] = q;
    when[c] = s;
}

int main(int argc, char **argv)
{
    int cutoffs = argc > 1 ? atoi(argv[1]) : 20;
    const int cells = 132 * 128;
    size_t n = (size_t)cells * SAMPLES;
    float *v, *q;
    int *w;
    CK(cudaMalloc(&v, n * 4));
    CK(cudaMalloc(&q, cells * 4));
    CK(cudaMalloc(&w, cells * 4));
    fillLog<<<(unsigned)(n / 256), 256>>>(v, cells);
    float cutoff = 3.2f;
    for (int k = 0; k < cutoffs; k++) {
        cutoff = 3.2f + 0.001f * k;
        drawn<<<cells / 128, 128>>>(v, q, w, cells, cutoff);
    }
    CK(cudaGetLastError());
    std::vector<float> hq(cells);
    std::vector<int> hw(cells);
    CK(cudaMemcpy(hq.data(), q, cells * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hw.data(), w, cells * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c = 0; c < cells; c += 997) {
        double sum = 0;
        int s = 0;
        while (s < SAMPLES && volt(c, s) >= cutoff) sum += volt(c, s++) * 0.01;
        ok = ok && abs(hw[c] - s) <= 2 && close_to(hq[c], sum, 2e-3);
    }
    CK(cudaFree(v)); CK(cudaFree(q)); CK(cudaFree(w));
    return report(ok);
}
