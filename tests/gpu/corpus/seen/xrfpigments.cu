// Macro X-ray fluorescence of a painting: misfit of candidate palettes of three
// pigments to the counts of lead, mercury, copper and iron in every pixel.
#include "common.h"

constexpr int PIXELS = 24 << 20;
constexpr int PALETTES = 160;
constexpr int PIGMENTS = 3;

struct Palette { float4 tone[PIGMENTS]; };

#ifdef GOOD
struct Spectra { const float *lead, *mercury, *copper, *iron; };
#else
struct Spectra { const float4 *counts; };
#endif

__device__ inline float4 countsOf(const Spectra &s, int p)
{
#ifdef GOOD
    return make_float4(__ldg(s.lead + p), __ldg(s.mercury + p), __ldg(s.copper + p), __ldg(s.iron + p));
#else
    return __ldg(s.counts + p);
#endif
}

__host__ __device__ inline float nearest(const float4 &c, const Palette &pal)
{
    float least = 1e30f;
    for (int k = 0; k < PIGMENTS; k++) {
        float a = c.x - pal.tone[k].x, b = c.y - pal.tone[k].y;
        float d = c.z - pal.tone[k].z, e = c.w - pal.tone[k].w;
        least = fminf(least, a * a + b * b + d * d + e * e);
    }
    return least;
}

__global__ void __launch_bounds__(256) paletteMisfit(Spectra spectra, Palette pal, double *misfit)
{
    __shared__ float part[8];
    float sum = 0.0f;
    const int stride = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < PIXELS; p += stride)
        sum += nearest(countsOf(spectra, p), pal);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        double all = 0.0;
        for (int w = 0; w < 8; w++) all += part[w];
        atomicAdd(misfit, all);
    }
}

int main()
{
    std::vector<float4> counts(PIXELS);
    unsigned seed = 1503u;
    for (auto &c : counts) {
        unsigned a = lcg(seed), b = lcg(seed);
        c = make_float4((a >> 20) / 4096.0f, (a >> 8 & 4095u) / 4096.0f,
                        (b >> 20) / 4096.0f, (b >> 8 & 4095u) / 4096.0f);
    }
    std::vector<Palette> palette(PALETTES);
    for (auto &p : palette)
        for (auto &t : p.tone) t = make_float4(frand(seed), frand(seed), frand(seed), frand(seed));

    float *dCounts;
    double *dMisfit;
    CK(cudaMalloc(&dCounts, PIXELS * sizeof(float4)));
    CK(cudaMalloc(&dMisfit, PALETTES * sizeof(double)));
    CK(cudaMemset(dMisfit, 0, PALETTES * sizeof(double)));
    Spectra spectra;
#ifdef GOOD
    std::vector<float> plane(PIXELS);
    for (int e = 0; e < 4; e++) {
        for (int p = 0; p < PIXELS; p++) plane[p] = (&counts[p].x)[e];
        CK(cudaMemcpy(dCounts + (size_t)e * PIXELS, plane.data(), PIXELS * sizeof(float), cudaMemcpyHostToDevice));
    }
    spectra.lead = dCounts;
    spectra.mercury = dCounts + PIXELS;
    spectra.copper = dCounts + 2 * (size_t)PIXELS;
    spectra.iron = dCounts + 3 * (size_t)PIXELS;
#else
    CK(cudaMemcpy(dCounts, counts.data(), PIXELS * sizeof(float4), cudaMemcpyHostToDevice));
    spectra.counts = (const float4 *)dCounts;
#endif
    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int k = 0; k < PALETTES; k++) {
        paletteMisfit<<<sms * 6, 256>>>(spectra, palette[k], dMisfit + k);
        CK(cudaGetLastError());
    }
    std::vector<double> misfit(PALETTES);
    CK(cudaMemcpy(misfit.data(), dMisfit, PALETTES * sizeof(double), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int k = 3; k < PALETTES; k += 100) {
        double ref = 0.0;
        for (const auto &c : counts) ref += nearest(c, palette[k]);
        if (fabs(misfit[k] - ref) > 1e-3 * ref) ok = false;
    }
    CK(cudaFree(dCounts));
    CK(cudaFree(dMisfit));
    return report(ok);
}
