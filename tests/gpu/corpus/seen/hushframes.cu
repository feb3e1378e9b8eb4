// Speech denoising: the typical level of every frame of 256 spectral values, robust against the few loud ones: a mean
// whose weights 1 / (1 + (x - m)^2 / s^2) are renewed twelve times.
//   hushframes [recordings]
#include "common.h"

#define BINS 256
#define ROUNDS 12

__device__ __forceinline__ float weight_of(float x, float m, float is2)
{
    float d = x - m;
    return __fdividef(1.0f, 1.0f + d * d * is2);
}

#ifdef GOOD
// eight lanes a frame, thirty-two values in each
__global__ void __launch_bounds__(256) level(const float *__restrict__ spec, float *__restrict__ out, int frames, float is2)
{
    int frame = (blockIdx.x * 256 + threadIdx.x) >> 3, lane = threadIdx.x & 7;
    const float4 *row = (const float4 *)(spec + (size_t)min(frame, frames - 1) * BINS);
    float4 x[8];
#pragma unroll
    for (int j = 0; j < 8; j++) x[j] = row[j * 8 + lane];
    float m = 0;
    for (int k = 0; k < ROUNDS; k++) {
        float num = 0, den = 0;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float4 v = x[j];
            float p = weight_of(v.x, m, is2), q = weight_of(v.y, m, is2), r = weight_of(v.z, m, is2), s = weight_of(v.w, m, is2);
            num += (p * v.x + q * v.y) + (r * v.z + s * v.w);
            den += (p + q) + (r + s);
        }
#pragma unroll
        for (int d = 4; d; d >>= 1) {
            num += __shfl_xor_sync(0xffffffffu, num, d);
            den += __shfl_xor_sync(0xffffffffu, den, d);
        }
        m = __fdividef(num, den);
    }
    if (lane == 0 && frame < frames) out[frame] = m;
}
#else
// a block a frame, a thread a value
__global__ void __launch_bounds__(256) level(const float *__restrict__ spec, float *__restrict__ out, int frames, float is2)
{
    __shared__ float num[BINS], den[BINS];
    int t = threadIdx.x;
    float x = spec[(size_t)blockIdx.x * BINS + t], m = 0;
    for (int k = 0; k < ROUNDS; k++) {
        float w = weight_of(x, m, is2);
        num[t] = w * x;
        den[t] = w;
        __syncthreads();
        for (int half = BINS / 2; half > 0; half >>= 1) {
            if (t < half) {
                num[t] += num[t + half];
                den[t] += den[t + half];
            }
            __syncthreads();
        }
        m = __fdividef(num[0], den[0]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = m;
}
#endif

int main(int argc, char **argv)
{
    int recordings = argc > 1 ? atoi(argv[1]) : 600;
    const int frames = 200000;
    std::vector<float> x((size_t)frames * BINS), h(frames);
    unsigned seed = 440;
    for (int f = 0; f < frames; f++) {
        float base = 1 + 2 * frand(seed);
        for (int b = 0; b < BINS; b++) {
            float r = frand(seed);
            x[(size_t)f * BINS + b] = base + 0.5f * r + (lcg(seed) >> 28 == 0 ? 12.0f : 0.0f);
        }
    }
    float *d, *o;
    CK(cudaMalloc(&d, x.size() * sizeof(float)));
    CK(cudaMalloc(&o, frames * sizeof(float)));
    CK(cudaMemcpy(d, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
    float is2 = 1;
    for (int r = 0; r < recordings; r++) {
        is2 = 0.8f + 0.01f * (r % 40);
#ifdef GOOD
        level<<<(frames * 8 + 255) / 256, 256>>>(d, o, frames, is2);
#else
        level<<<frames, BINS>>>(d, o, frames, is2);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), o, frames * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int f = 0; f < frames; f += 199) {
        double m = 0;
        for (int k = 0; k < ROUNDS; k++) {
            double num = 0, den = 0;
            for (int b = 0; b < BINS; b++) {
                double v = x[(size_t)f * BINS + b], w = 1 / (1 + (v - m) * (v - m) * is2);
                num += w * v;
                den += w;
            }
            m = num / den;
        }
        ok = ok && close_to(h[f], m, 1e-3);
    }
    printf("level of the first frame: %.4f\n", h[0]);
    CK(cudaFree(d)); CK(cudaFree(o));
    return report(ok);
}
