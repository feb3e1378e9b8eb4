// Overview of an oscilloscope's deep memory: lowest and highest sample behind every column of the screen wall.
//   scopeview [redraws]
#include "common.h"

struct Span { float lo, hi; };

__host__ __device__ static inline float sample_at(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12;
    return (float)(i % 250013u) * 4e-6f + (h & 0xffff) * 1e-5f;
}

__global__ void acquire(float *x, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = sample_at(i);
}

__global__ void envelope(const float *__restrict__ x, Span *__restrict__ out, int columns, int width, float gain)
{
#ifdef GOOD
    int c = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (c >= columns) return;
    const float *p = x + (size_t)c * width;
    float lo = 3.4e38f, hi = -3.4e38f;
#pragma unroll 8
    for (int i = lane; i < width; i += 32) {
        float v = p[i];
        lo = fminf(lo, v);
        hi = fmaxf(hi, v);
    }
    for (int d = 16; d; d >>= 1) {
        lo = fminf(lo, __shfl_xor_sync(0xffffffffu, lo, d));
        hi = fmaxf(hi, __shfl_xor_sync(0xffffffffu, hi, d));
    }
    if (lane == 0) out[c] = { gain * lo, gain * hi };
#else
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    const float *p = x + (size_t)c * width;
    float lo = 3.4e38f, hi = -3.4e38f;
#pragma unroll 8
    for (int i = 0; i < width; i++) {
        float v = p[i];
        lo = fminf(lo, v);
        hi = fmaxf(hi, v);
    }
    out[c] = { gain * lo, gain * hi };
#endif
}

int main(int argc, char **argv)
{
    int redraws = argc > 1 ? atoi(argv[1]) : 500;
    const int width = 937, columns = 213000;
    const unsigned n = (unsigned)width * columns;
    float *x;
    Span *spans;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&spans, columns * sizeof(Span)));
    acquire<<<132 * 8, 256>>>(x, n);
    CK(cudaGetLastError());
    float gain = 1;
    for (int r = 0; r < redraws; r++) {
        gain = 1 + 0.001f * (r % 50);
#ifdef GOOD
        envelope<<<(columns * 32 + 255) / 256, 256>>>(x, spans, columns, width, gain);
#else
        envelope<<<(columns + 127) / 128, 128>>>(x, spans, columns, width, gain);
#endif
    }
    CK(cudaGetLastError());
    std::vector<Span> h(columns);
    CK(cudaMemcpy(h.data(), spans, columns * sizeof(Span), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c = 0; c < columns; c += 7919) {
        float lo = 3.4e38f, hi = -3.4e38f;
        for (int i = 0; i < width; i++) {
            float v = sample_at((unsigned)c * width + i);
            lo = std::min(lo, v);
            hi = std::max(hi, v);
        }
        ok = ok && close_to(h[c].lo, gain * lo, 1e-5) && close_to(h[c].hi, gain * hi, 1e-5);
    }
    CK(cudaFree(x)); CK(cudaFree(spans));
    return report(ok);
}
