// Radar interferometry: interferogram of two complex images, flat-earth correction, coherence-masked phase.
#include "common.h"

__host__ __device__ static inline float2 slc(unsigned i, unsigned seed)
{
    unsigned h = (i + seed) * 2654435761u;
    h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 13;
    return make_float2((h & 0xffff) / 32768.0f - 1.0f, (h >> 16) / 32768.0f - 1.0f);
}
__global__ void focus(float2 *m, float2 *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { m[i] = slc(i, 1); s[i] = slc(i, 99); }
}

#define PIXEL int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return

__device__ inline float2 mulconj(float2 a, float2 b) { return make_float2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y); }
__device__ inline float2 unramp(float2 z, int i, int width, float k)
{
    float s, c;
    sincospif(k * (i % width), &s, &c);
    return make_float2(z.x * c + z.y * s, z.y * c - z.x * s);
}

#ifdef GOOD
__global__ void fringes(const float2 *__restrict__ m, const float2 *__restrict__ s, float *__restrict__ amp,
                        float *__restrict__ phase, int n, int width, float k, float level)
{
    PIXEL;
    float2 z = unramp(mulconj(m[i], s[i]), i, width, k);
    float a = sqrtf(z.x * z.x + z.y * z.y);
    amp[i] = a;
    phase[i] = a > level ? atan2f(z.y, z.x) : 0.0f;
}
#else
__global__ void interfere(const float2 *__restrict__ m, const float2 *__restrict__ s, float2 *__restrict__ z, int n)
{
    PIXEL;
    z[i] = mulconj(m[i], s[i]);
}
__global__ void flatten(float2 *z, int n, int width, float k)
{
    PIXEL;
    z[i] = unramp(z[i], i, width, k);
}
__global__ void magnitude(const float2 *__restrict__ z, float *__restrict__ amp, int n)
{
    PIXEL;
    amp[i] = sqrtf(z[i].x * z[i].x + z[i].y * z[i].y);
}
__global__ void angle(const float2 *__restrict__ z, float *__restrict__ phase, int n)
{
    PIXEL;
    phase[i] = atan2f(z[i].y, z[i].x);
}
__global__ void mask(const float *__restrict__ amp, float *__restrict__ phase, int n, float level)
{
    PIXEL;
    phase[i] = amp[i] > level ? phase[i] : 0.0f;
}
#endif

int main(int argc, char **argv)
{
    int bursts = argc > 1 ? atoi(argv[1]) : 200;
    const int width = 8192, n = width * 4096;
    const float k = 0.0125f, level = 0.2f;
    float2 *m, *s;
    float *amp, *phase;
    CK(cudaMalloc(&m, n * sizeof(float2)));
    CK(cudaMalloc(&s, n * sizeof(float2)));
    CK(cudaMalloc(&amp, n * sizeof(float)));
    CK(cudaMalloc(&phase, n * sizeof(float)));
    const int g = (n + 255) / 256;
    focus<<<g, 256>>>(m, s, n);
    CK(cudaGetLastError());
#ifdef GOOD
    for (int b = 0; b < bursts; b++) fringes<<<g, 256>>>(m, s, amp, phase, n, width, k, level);
#else
    float2 *z;
    CK(cudaMalloc(&z, n * sizeof(float2)));
    for (int b = 0; b < bursts; b++) {
        interfere<<<g, 256>>>(m, s, z, n);
        flatten<<<g, 256>>>(z, n, width, k);
        magnitude<<<g, 256>>>(z, amp, n);
        angle<<<g, 256>>>(z, phase, n);
        mask<<<g, 256>>>(amp, phase, n, level);
    }
#endif
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    const int cnt = 20000, off = n / 3;
    std::vector<float> ha(cnt), hp(cnt);
    CK(cudaMemcpy(ha.data(), amp + off, cnt * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hp.data(), phase + off, cnt * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int j = 0; j < cnt; j++) {
        float2 a = slc(off + j, 1), b = slc(off + j, 99);
        double re = (double)a.x * b.x + (double)a.y * b.y, im = (double)a.y * b.x - (double)a.x * b.y;
        double amplitude = sqrt(re * re + im * im);
        if (!close_to(ha[j], amplitude, 1e-4)) ok = false;
        if (fabs(amplitude - level) < 1e-3) continue;
        double ph = amplitude > level ? atan2(im, re) - M_PI * (double)(k * ((off + j) % width)) : 0.0;
        if (fabs(sin(0.5 * (hp[j] - ph))) > 1e-3) ok = false;
    }
    return report(ok);
}
