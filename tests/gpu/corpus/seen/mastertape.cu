// Mastering chain over a long tape: gain, DC trim, soft clipping, fade and dither-quantise.
#include "common.h"

static const int N = 64 * 1024 * 1024;

static __host__ __device__ float tape(int i)
{
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 0xffffu) * (1.0f / 32768.0f) - 1.0f;
}
static __host__ __device__ __forceinline__ float gain(float x) { return 1.4f * x; }
static __host__ __device__ __forceinline__ float trim(float x) { return x - 0.0125f; }
static __host__ __device__ __forceinline__ float clip(float x) { return x / (1.0f + fabsf(x)); }
static __host__ __device__ __forceinline__ float fade(float x, int i) { return x * (1.0f - (float)i * (1.0f / N)); }
static __host__ __device__ __forceinline__ float quant(float x) { return rintf(x * 32767.0f) * (1.0f / 32767.0f); }

__global__ void play(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < N) x[i] = tape(i); }

#ifdef GOOD
__global__ void k_master(const float4 *x, float4 *y)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= N / 4) return;
    float4 v = x[q];
    v.x = quant(fade(clip(trim(gain(v.x))), 4 * q));
    v.y = quant(fade(clip(trim(gain(v.y))), 4 * q + 1));
    v.z = quant(fade(clip(trim(gain(v.z))), 4 * q + 2));
    v.w = quant(fade(clip(trim(gain(v.w))), 4 * q + 3));
    y[q] = v;
}
#else
#define STAGE(NAME, F, ...) \
__global__ void NAME(const float4 *x, float4 *y) \
{ \
    int q = blockIdx.x * blockDim.x + threadIdx.x; \
    if (q >= N / 4) return; \
    float4 v = x[q]; \
    v.x = F(0, v.x); v.y = F(1, v.y); v.z = F(2, v.z); v.w = F(3, v.w); \
    y[q] = v; \
}
#define F_GAIN(k, x) gain(x)
#define F_TRIM(k, x) trim(x)
#define F_CLIP(k, x) clip(x)
#define F_FADE(k, x) fade(x, 4 * q + k)
#define F_QUANT(k, x) quant(x)
STAGE(k_gain, F_GAIN)
STAGE(k_trim, F_TRIM)
STAGE(k_clip, F_CLIP)
STAGE(k_fade, F_FADE)
STAGE(k_quant, F_QUANT)
#endif

int main(int argc, char **argv)
{
    int tapes = argc > 1 ? atoi(argv[1]) : 330;
    float *x, *y;
    CK(cudaMalloc(&x, (size_t)N * sizeof(float)));
    CK(cudaMalloc(&y, (size_t)N * sizeof(float)));
    play<<<N / 256, 256>>>(x);
    CK(cudaGetLastError());
    float4 *x4 = reinterpret_cast<float4 *>(x), *y4 = reinterpret_cast<float4 *>(y);
    const int blocks = N / 4 / 256;
    for (int t = 0; t < tapes; t++) {
#ifdef GOOD
        k_master<<<blocks, 256>>>(x4, y4);
#else
        k_gain<<<blocks, 256>>>(x4, y4);
        k_trim<<<blocks, 256>>>(y4, y4);
        k_clip<<<blocks, 256>>>(y4, y4);
        k_fade<<<blocks, 256>>>(y4, y4);
        k_quant<<<blocks, 256>>>(y4, y4);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 7; i < N; i += N / 31) {
        float v, want = quant(fade(clip(trim(gain(tape(i)))), i));
        CK(cudaMemcpy(&v, y + i, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, want, 1e-4);
    }
    cudaFree(x); cudaFree(y);
    return report(ok);
}
