// Covariance of the ten bands of a satellite scene (planar layout): every thread keeps
// the 55 products and 10 sums of its pixels.
#include "common.h"

#define B 10
#define NP (B * (B + 1) / 2)

__host__ __device__ static inline float sample(unsigned b, unsigned i)
{
    unsigned h = i * 2654435761u + b * 40503u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (h & 1023) * (1.0f / 1024.0f) + 0.1f * b;
}
__global__ void makeScene(float *s, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[(size_t)blockIdx.y * n + i] = sample(blockIdx.y, i);
}

#ifdef GOOD
__global__ void __launch_bounds__(256, 2)
#else
__global__ void __launch_bounds__(256, 8)      // "as many blocks per SM as possible"
#endif
covariance(const float *__restrict__ s, double *__restrict__ out, unsigned n)
{
    float prod[NP], sum[B];
#pragma unroll
    for (int k = 0; k < NP; k++) prod[k] = 0.f;
#pragma unroll
    for (int k = 0; k < B; k++) sum[k] = 0.f;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v[B];
#pragma unroll
        for (int b = 0; b < B; b++) v[b] = s[(size_t)b * n + i];
#pragma unroll
        for (int b = 0; b < B; b++) {
            sum[b] += v[b];
#pragma unroll
            for (int c = 0; c <= b; c++) prod[b * (b + 1) / 2 + c] += v[b] * v[c];
        }
    }
    bool first = (threadIdx.x & 31) == 0;
#pragma unroll
    for (int k = 0; k < NP + B; k++) {
        float t = k < NP ? prod[k < NP ? k : 0] : sum[k < NP ? 0 : k - NP];
        for (int o = 16; o; o >>= 1) t += __shfl_xor_sync(0xffffffffu, t, o);
        if (first) atomicAdd(&out[k], (double)t);
    }
}

int main(int argc, char **argv)
{
    int scenes = argc > 1 ? atoi(argv[1]) : 60;
    const unsigned n = 1u << 24;
    float *s;
    double *out;
    CK(cudaMalloc(&s, (size_t)n * B * 4));
    CK(cudaMalloc(&out, (NP + B) * 8));
    makeScene<<<dim3(n / 256, B), 256>>>(s, n);
    for (int k = 0; k < scenes; k++) {
        CK(cudaMemsetAsync(out, 0, (NP + B) * 8));
        covariance<<<132 * 2, 256>>>(s, out, n);
    }
    CK(cudaGetLastError());
    double h[NP + B];
    CK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    // a sample of the scene has the same moments
    const unsigned take = 1u << 18;
    bool ok = true;
    for (int b = 0; b < B; b += 3) {
        double m = 0, q = 0;
        for (unsigned i = 0; i < take; i++) {
            double v = sample(b, i * 61u % n);
            m += v;
            q += v * v;
        }
        ok = ok && close_to(h[NP + b] / n, m / take, 0.01) && close_to(h[b * (b + 1) / 2 + b] / n, q / take, 0.01);
    }
    CK(cudaFree(s)); CK(cudaFree(out));
    return report(ok);
}
