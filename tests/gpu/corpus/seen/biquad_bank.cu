// A bank of microphone channels, each through the same two-section IIR low pass.
//   biquad_bank [passes]
#include "common.h"

struct Section { float b0, b1, b2, a1, a2; };

__device__ __forceinline__ float tick(const Section &s, float x, float &z1, float &z2)
{
    float y = s.b0 * x + z1;
    z1 = s.b1 * x - s.a1 * y + z2;
    z2 = s.b2 * x - s.a2 * y;
    return y;
}

#ifndef GOOD
#define AT(ch, t) ((size_t)(ch) * samples + (t))     // a channel after the other
#else
#define AT(ch, t) ((size_t)(t) * channels + (ch))    // a frame after the other
#endif

const int channels = 135168, samples = 1024;

__global__ void record(float *x)
{
    const unsigned n = (unsigned)channels * samples;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#ifndef GOOD
        unsigned ch = i / samples, t = i % samples;
#else
        unsigned ch = i % channels, t = i / channels;
#endif
        x[i] = ((ch * 2654435761u ^ t * 40503u * 977u) >> 12) * (1.0f / 1048576) - 0.5f;
    }
}

__global__ void lowpass(const float *__restrict__ in, float *__restrict__ out,
                        Section s1, Section s2)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;
    float p = 0, q = 0, r = 0, s = 0;
    for (int t = 0; t < samples; t += 8) {
        float v[8];
#pragma unroll
        for (int k = 0; k < 8; k++) v[k] = in[AT(ch, t + k)];
#pragma unroll
        for (int k = 0; k < 8; k++) v[k] = tick(s2, tick(s1, v[k], p, q), r, s);
#pragma unroll
        for (int k = 0; k < 8; k++) out[AT(ch, t + k)] = v[k];
    }
}

__global__ void level(const float *x, size_t n, float *power)
{
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        s += x[i] * x[i];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) atomicAdd(power, s);
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 30;
    size_t n = (size_t)channels * samples;
    float *x, *y, *power;
    CK(cudaMalloc(&x, n * 4));
    CK(cudaMalloc(&y, n * 4));
    CK(cudaMalloc(&power, 4));
    CK(cudaMemset(power, 0, 4));
    record<<<2112, 256>>>(x);
    CK(cudaGetLastError());
    Section s1 = {0.2929f, 0.5858f, 0.2929f, 0.0f, 0.1716f}, s2 = {0.5f, 0.2f, 0.25f, -0.1f, 0.05f};
    for (int k = 0; k < passes; k++) {
        lowpass<<<(channels + 255) / 256, 256>>>(x, y, s1, s2);
        CK(cudaGetLastError());
        std::swap(x, y);
    }
    level<<<1056, 256>>>(x, n, power);
    CK(cudaGetLastError());
    float p;
    CK(cudaMemcpy(&p, power, 4, cudaMemcpyDeviceToHost));
    printf("power %.4g\n", p / n);
    return report(std::isfinite(p));
}
