// Drill cores: misfit between the measured reflectance of each pixel and the library spectrum of its mapped mineral.
//   mineralres [cores]
#include "common.h"

constexpr int MINERALS = 24, BANDS = 64;

struct Scan {
    const ushort2 *refl;            // [band][pixel pair]
    const uchar2 *mineral;
    int pairs;
};

#ifdef GOOD
__device__ __forceinline__ int slot(int mineral, int band) { return band * MINERALS + mineral; }
#else
__device__ __forceinline__ int slot(int mineral, int band) { return mineral * BANDS + band; }
#endif

__host__ __device__ static inline unsigned mash(unsigned x)
{
    x *= 0x9e3779b1u; x ^= x >> 15; x *= 0x85ebca77u; x ^= x >> 13;
    return x;
}

__global__ void scan_core(unsigned short *refl, unsigned char *mineral, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    mineral[i] = mash(i) % MINERALS;
    for (int b = 0; b < BANDS; b++) refl[(size_t)b * n + i] = mash(i * 64u + b) & 4095;
}

__global__ void __launch_bounds__(256) misfit(Scan s, const float *__restrict__ library, float2 *__restrict__ out, float scale)
{
    __shared__ float lib[MINERALS * BANDS];
    for (int k = threadIdx.x; k < MINERALS * BANDS; k += blockDim.x) lib[slot(k / BANDS, k % BANDS)] = library[k];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < s.pairs; i += gridDim.x * blockDim.x) {
        uchar2 m = s.mineral[i];
        float e0 = 0, e1 = 0;
#pragma unroll 16
        for (int b = 0; b < BANDS; b++) {
            ushort2 r = s.refl[(size_t)b * s.pairs + i];
            float d0 = scale * r.x - lib[slot(m.x, b)], d1 = scale * r.y - lib[slot(m.y, b)];
            e0 += d0 * d0;
            e1 += d1 * d1;
        }
        out[i] = make_float2(e0, e1);
    }
}

int main(int argc, char **argv)
{
    int cores = argc > 1 ? atoi(argv[1]) : 2200;
    const int n = 2 * 1960064;
    std::vector<float> library(MINERALS * BANDS), h(n);
    for (int k = 0; k < MINERALS * BANDS; k++) library[k] = 0.5f + 0.4f * sinf(0.37f * k);
    unsigned short *refl;
    unsigned char *mineral;
    float *lib, *err;
    CK(cudaMalloc(&refl, (size_t)n * BANDS * 2));
    CK(cudaMalloc(&mineral, n));
    CK(cudaMalloc(&lib, library.size() * 4));
    CK(cudaMalloc(&err, (size_t)n * 4));
    CK(cudaMemcpy(lib, library.data(), library.size() * 4, cudaMemcpyHostToDevice));
    scan_core<<<(n + 255) / 256, 256>>>(refl, mineral, n);
    CK(cudaGetLastError());
    Scan s { (const ushort2 *)refl, (const uchar2 *)mineral, n / 2 };
    float scale = 0;
    for (int c = 0; c < cores; c++) {
        scale = (1 + 0.002f * (c % 9)) / 4096;
        misfit<<<132 * 8, 256>>>(s, lib, (float2 *)err, scale);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), err, (size_t)n * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 5003) {
        double e = 0;
        for (int b = 0; b < BANDS; b++) {
            double d = (double)scale * (mash(i * 64u + b) & 4095) - library[mash(i) % MINERALS * BANDS + b];
            e += d * d;
        }
        ok = ok && close_to(h[i], e, 1e-3);
    }
    CK(cudaFree(refl)); CK(cudaFree(mineral)); CK(cudaFree(lib)); CK(cudaFree(err));
    return report(ok);
}
