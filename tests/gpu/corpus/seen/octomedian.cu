// Co-addition of a night: eight exposures of the same field, brought to a common zero point, and their median kept,
// so that cosmic rays and satellites drop out. Once for each trial of zero points.
// usage: octomedian side trials
#include "common.h"

#define EXPOSURES 8
struct Zeropoints { float scale[EXPOSURES]; };

__host__ __device__ inline unsigned scramble(unsigned h)
{
    h = (h ^ (h >> 16)) * 2146121005u;
    h = (h ^ (h >> 15)) * 2221713035u;
    return h ^ (h >> 16);
}
__host__ __device__ inline float photons(unsigned pixel, int e)
{
    unsigned h = scramble(pixel * EXPOSURES + e);
    float sky = 200.0f + (float)(scramble(pixel / 7u) % 50u) + 0.01f * (float)(h % 1000u);
    return (h >> 22) == 3u ? sky + 5000.0f : sky;            // a hit now and then
}

__global__ void expose(float *frames, int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    for (int e = 0; e < EXPOSURES; ++e) frames[(size_t)e * pixels + i] = photons(i, e);
}

__device__ inline void order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

__device__ inline float median(float v[EXPOSURES])
{
#ifdef GOOD
    // Batcher's network, 19 comparisons
    order(v[0], v[1]); order(v[2], v[3]); order(v[4], v[5]); order(v[6], v[7]);
    order(v[0], v[2]); order(v[1], v[3]); order(v[4], v[6]); order(v[5], v[7]);
    order(v[1], v[2]); order(v[5], v[6]);
    order(v[0], v[4]); order(v[1], v[5]); order(v[2], v[6]); order(v[3], v[7]);
    order(v[2], v[4]); order(v[3], v[5]);
    order(v[1], v[2]); order(v[3], v[4]); order(v[5], v[6]);
#else
    // neighbours in turn, 28 comparisons
#pragma unroll
    for (int r = 0; r < EXPOSURES; ++r)
#pragma unroll
        for (int k = r % 2; k + 1 < EXPOSURES; k += 2) order(v[k], v[k + 1]);
#endif
    return 0.5f * (v[3] + v[4]);
}

__global__ void __launch_bounds__(256) coadd(const float4 *__restrict__ frames, float4 *__restrict__ sum, int quads, Zeropoints z)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float a[EXPOSURES], b[EXPOSURES], c[EXPOSURES], d[EXPOSURES];
#pragma unroll
    for (int e = 0; e < EXPOSURES; ++e) {
        float4 q = frames[(size_t)e * quads + i];
        a[e] = q.x * z.scale[e];
        b[e] = q.y * z.scale[e];
        c[e] = q.z * z.scale[e];
        d[e] = q.w * z.scale[e];
    }
    sum[i] = make_float4(median(a), median(b), median(c), median(d));
}

int main(int argc, char **argv)
{
    int side = (argc > 1 ? atoi(argv[1]) : 4096) / 4 * 4;
    int trials = argc > 2 ? atoi(argv[2]) : 7000;
    int pixels = side * side;
    float *frames, *sum;
    CK(cudaMalloc(&frames, (size_t)EXPOSURES * pixels * sizeof(float)));
    CK(cudaMalloc(&sum, pixels * sizeof(float)));
    expose<<<(pixels + 255) / 256, 256>>>(frames, pixels);
    Zeropoints z;
    for (int t = 0; t < trials; ++t) {
        for (int e = 0; e < EXPOSURES; ++e) z.scale[e] = 1.0f + 0.002f * (float)((t + 3 * e) % 11 - 5);
        coadd<<<(pixels / 4 + 255) / 256, 256>>>((const float4 *)frames, (float4 *)sum, pixels / 4, z);
    }
    CK(cudaGetLastError());
    std::vector<float> s(pixels);
    CK(cudaMemcpy(s.data(), sum, pixels * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < pixels; i += 997) {
        float v[EXPOSURES];
        for (int e = 0; e < EXPOSURES; ++e) v[e] = photons(i, e) * z.scale[e];
        std::sort(v, v + EXPOSURES);
        ok = ok && close_to(s[i], 0.5 * (v[3] + v[4]), 1e-4);
    }
    printf("first pixel: %.3f electrons\n", s[0]);
    CK(cudaFree(frames)); CK(cudaFree(sum));
    return report(ok);
}
