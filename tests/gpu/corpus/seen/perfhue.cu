// Stamp collection: shade of every pixel of the scanned album (three planes of light), from which a colour variety of an
// issue shows. The lamp of the scanner ages a little from pass to pass.
// usage: perfhue pixels passes
#include "common.h"

#define THREADS 256

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline float lightOf(unsigned i, unsigned plane)
{
    return 0.05f + (float)(scramble(i * 3u + plane) & 1023u) * (0.9f / 1024.0f);
}

__global__ void scan(float *plane, unsigned n, unsigned which)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) plane[i] = lightOf(i, which);
}

__device__ inline float shade(float r, float g, float b, float lamp)
{
    float above = r * lamp - b, below = r * lamp + g + b;
#ifdef GOOD
    return __fdividef(above, below);
#else
    return above / below;
#endif
}

__global__ void __launch_bounds__(THREADS) shades(const float4 *__restrict__ red, const float4 *__restrict__ green,
                                                  const float4 *__restrict__ blue, float4 *__restrict__ out, unsigned n4,
                                                  float lamp)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n4) return;
    float4 r = red[i], g = green[i], b = blue[i];
    out[i] = make_float4(shade(r.x, g.x, b.x, lamp), shade(r.y, g.y, b.y, lamp), shade(r.z, g.z, b.z, lamp),
                         shade(r.w, g.w, b.w, lamp));
}

int main(int argc, char **argv)
{
    const unsigned n = (argc > 1 ? atoi(argv[1]) : 67108864) / 4 * 4, n4 = n / 4;
    const int passes = argc > 2 ? atoi(argv[2]) : 3500;
    float *plane[3], *out;
    for (unsigned p = 0; p < 3; ++p) {
        CK(cudaMalloc(&plane[p], n * sizeof(float)));
        scan<<<1056, THREADS>>>(plane[p], n, p);
    }
    CK(cudaMalloc(&out, n * sizeof(float)));
    float lamp = 1.0f;
    for (int k = 0; k < passes; ++k) {
        lamp = 1.0f - 0.001f * (float)(k % 100);
        shades<<<(n4 + THREADS - 1) / THREADS, THREADS>>>((const float4 *)plane[0], (const float4 *)plane[1],
                                                          (const float4 *)plane[2], (float4 *)out, n4, lamp);
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    for (int q = 0; q < 100000; ++q) {
        unsigned i = (unsigned)((unsigned long long)q * (n - 1) / 99999);
        double r = (double)lightOf(i, 0) * lamp, g = lightOf(i, 1), b = lightOf(i, 2), want = (r - b) / (r + g + b);
        ok = ok && fabs(got[i] - want) < 1e-5;
        mean += want / 100000;
    }
    printf("mean shade: %.6f\n", mean);
    for (auto p : plane) CK(cudaFree(p));
    CK(cudaFree(out));
    return report(ok);
}
