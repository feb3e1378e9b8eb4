// Cumulative distributions: every row holds the weights of 1024 classes of one river gauge; the
// kernel forms the running sums of the row and scales them to end at one.
#include "common.h"

#ifndef GAUGES
#define GAUGES 65536
#endif
const int CLASSES = 1024, TPB = CLASSES / 4, WARPS = TPB / 32;

__device__ inline float4 fetch(const float4 *p)
{
#ifdef GOOD
    return __ldcs(p);
#else
    return *p;
#endif
}

__device__ inline void put(float4 *p, float4 v)
{
#ifdef GOOD
    __stcs(p, v);
#else
    *p = v;
#endif
}

__global__ void weights(float *w)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned k = (unsigned)i * 2654435761u;
    k ^= k >> 15; k *= 0x2c1b3c6du; k ^= k >> 12; k *= 0x297a2d39u; k ^= k >> 15;
    w[i] = 0.05f + (k >> 8) * (1.0f / 16777216.0f);
}

__global__ void __launch_bounds__(TPB) distribution(const float4 *__restrict__ w, float4 *__restrict__ cdf)
{
    __shared__ float ends[WARPS];
    size_t at = (size_t)blockIdx.x * TPB + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float4 v = fetch(w + at);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    float run = v.w;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float other = __shfl_up_sync(0xffffffffu, run, d);
        if (lane >= d) run += other;
    }
    if (lane == 31) ends[warp] = run;
    __syncthreads();
    float before = run - v.w, total = 0;
#pragma unroll
    for (int k = 0; k < WARPS; k++) {
        float e = ends[k];
        if (k < warp) before += e;
        total += e;
    }
    float s = 1.0f / total;
    put(cdf + at, make_float4((before + v.x) * s, (before + v.y) * s, (before + v.z) * s, (before + v.w) * s));
}

// class in which a row passes the given level
__global__ void quantile(const float *__restrict__ cdf, int *__restrict__ where, float level)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, lo = 0, hi = CLASSES - 1;
    const float *row = cdf + (size_t)r * CLASSES;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (row[mid] < level) lo = mid + 1;
        else hi = mid;
    }
    where[r] = lo;
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 12000;
    const size_t n = (size_t)GAUGES * CLASSES;
    float *w, *cdf;
    int *where;
    CK(cudaMalloc(&w, n * sizeof(float)));
    CK(cudaMalloc(&cdf, n * sizeof(float)));
    CK(cudaMalloc(&where, GAUGES * sizeof(int)));
    weights<<<(unsigned)(n / 256), 256>>>(w);
    for (int d = 0; d < days; d++) distribution<<<GAUGES, TPB>>>((const float4 *)w, (float4 *)cdf);
    quantile<<<GAUGES / 256, 256>>>(cdf, where, 0.9f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> hw(CLASSES), hc(CLASSES);
    std::vector<int> hq(GAUGES);
    CK(cudaMemcpy(hq.data(), where, GAUGES * sizeof(int), cudaMemcpyDeviceToHost));
    unsigned seed = 33;
    for (int t = 0; t < 50; t++) {
        int r = t == 0 ? 0 : t == 1 ? GAUGES - 1 : (int)(frand(seed) * GAUGES);
        CK(cudaMemcpy(hw.data(), w + (size_t)r * CLASSES, CLASSES * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(hc.data(), cdf + (size_t)r * CLASSES, CLASSES * sizeof(float), cudaMemcpyDeviceToHost));
        double all = 0, run = 0;
        for (float x : hw) all += x;
        for (int c = 0; c < CLASSES; c++) {
            run += hw[c];
            ok = ok && close_to(hc[c], run / all, 1e-4);
        }
        int q = hq[r];
        ok = ok && q > 0 && q < CLASSES && hc[q] >= 0.9f && hc[q - 1] < 0.9f;
    }
    CK(cudaFree(w)); CK(cudaFree(cdf)); CK(cudaFree(where));
    return report(ok);
}
