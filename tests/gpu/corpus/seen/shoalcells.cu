// Wave energy over the cells of a nautical chart: for each cell the spectrum is integrated
// over directions and frequencies. A cell's integral is a grid of its own.
#include "common.h"

#define PARTS 8
#define TPB 256
#define PER 256

__host__ __device__ static inline float spectrum(float f, float depth)
{
    float q = 0.3f / f;
    float q4 = q * q * q * q;
    return q4 * q * expf(-1.25f * q4) * (1.f - 0.3f / (1.f + depth * f * f));
}

__device__ void addPart(float *result, float depth, int cell, int part)
{
    float s = 0.f;
    int total = PARTS * TPB * PER;
    for (int k = 0; k < PER; k++) {
        int i = (k * PARTS + part) * TPB + threadIdx.x;
        s += spectrum(0.05f + 1.5f * (i + 0.5f) / total, depth);
    }
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(&result[cell], s * (1.5f / total));
}

#ifdef GOOD
__global__ void integrate(float *result, const float *__restrict__ depth)
{
    addPart(result, depth[blockIdx.y], blockIdx.y, blockIdx.x);
}
#else
__global__ void cellIntegral(float *result, float depth, int cell)
{
    addPart(result, depth, cell, blockIdx.x);
}
__global__ void integrate(float *result, const float *__restrict__ depth, int cells)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cells) cellIntegral<<<PARTS, TPB>>>(result, depth[c], c);
}
#endif

int main(int argc, char **argv)
{
    int charts = argc > 1 ? atoi(argv[1]) : 12;
    const int cells = 4096;
    std::vector<float> depth(cells), got(cells);
    unsigned seed = 6;
    for (auto &d : depth) d = 1 + 30 * frand(seed);
    float *dd, *dr;
    CK(cudaMalloc(&dd, cells * 4));
    CK(cudaMalloc(&dr, cells * 4));
    CK(cudaMemcpy(dd, depth.data(), cells * 4, cudaMemcpyHostToDevice));
#ifndef GOOD
    CK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 2 * cells));
#endif
    for (int k = 0; k < charts; k++) {
        CK(cudaMemsetAsync(dr, 0, cells * 4));
#ifdef GOOD
        integrate<<<dim3(PARTS, cells), TPB>>>(dr, dd);
#else
        integrate<<<cells / 64, 64>>>(dr, dd, cells);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(got.data(), dr, cells * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c = 3; c < cells; c += 797) {
        double s = 0;
        const int n = 20000;
        for (int i = 0; i < n; i++) s += spectrum(0.05f + 1.5f * (i + 0.5f) / n, depth[c]) * 1.5 / n;
        ok = ok && close_to(got[c], s, 3e-3);
    }
    CK(cudaFree(dd)); CK(cudaFree(dr));
    return report(ok);
}
