// Reinsurance: what a treaty pays for each claim, by one of four kinds of treaty: proportional with sliding scale,
// excess of loss with layers, stop loss with reinstatements, and a run-off that is paid over the years.
//   cedantbook [scenarios]
#include "common.h"

const int N = 1 << 23;

__host__ __device__ static inline unsigned mixed(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}

// The book is kept as the claims came in; the counterpart keeps it by kind of treaty.
__host__ __device__ static inline int treaty(int i)
{
#ifdef GOOD
    return i / (N / 4);
#else
    return (int)(mixed(i) & 3u);
#endif
}

__host__ __device__ static inline float loss(int i) { return 1.0f + (float)(mixed(i + 77u) >> 12 & 4095u) * 0.01f; }

__host__ __device__ static inline float recover(int kind, float x)
{
    float paid = 0;
    if (kind == 0) {
        float share = 0.3f;
#pragma unroll 8
        for (int k = 0; k < 96; k++) {
            paid += share * x * 0.01f;
            share = share * 0.99f + 0.0005f * fminf(paid, 10.0f);
        }
    } else if (kind == 1) {
        float attach = 0.5f, left = x;
#pragma unroll 8
        for (int k = 0; k < 96; k++) {
            float layer = fminf(fmaxf(left - attach, 0.0f), 0.4f);
            paid += 0.9f * layer;
            left -= 0.5f * layer;
            attach += 0.02f;
        }
    } else if (kind == 2) {
        float room = 12.0f, rate = 0.05f;
#pragma unroll 8
        for (int k = 0; k < 96; k++) {
            float p = fminf(room, rate * x);
            room += 0.1f - p;
            rate = rate * 0.985f + 0.001f;
            paid += p;
        }
    } else {
        float open = x, factor = 1.0f;
#pragma unroll 8
        for (int k = 0; k < 96; k++) {
            float p = open * 0.06f;
            open = (open - p) * 1.004f;
            factor = factor * 0.9975f;
            paid += p * factor;
        }
    }
    return paid;
}

__global__ void fill(int *kind, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    kind[i] = treaty(i);
    x[i] = loss(i);
}

__global__ void settle(const int *__restrict__ kind, const float *__restrict__ x, float *__restrict__ paid, float index)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    paid[i] = recover(kind[i], x[i] * index);
}

int main(int argc, char **argv)
{
    int scenarios = argc > 1 ? atoi(argv[1]) : 1200;
    int *kind;
    float *x, *paid;
    CK(cudaMalloc(&kind, (size_t)N * sizeof(int)));
    CK(cudaMalloc(&x, (size_t)N * sizeof(float)));
    CK(cudaMalloc(&paid, (size_t)N * sizeof(float)));
    fill<<<N / 256, 256>>>(kind, x);
    float index = 1;
    for (int s = 0; s < scenarios; s++) {
        index = 1.0f + 0.0005f * (s % 100);
        settle<<<N / 256, 256>>>(kind, x, paid, index);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> h(N);
    CK(cudaMemcpy(h.data(), paid, (size_t)N * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    double sum = 0;
    for (int i = 3; i < N; i += 1009) {
        float want = recover(treaty(i), loss(i) * index);
        ok = ok && fabsf(h[i] - want) <= 2e-3f * fabsf(want) + 1e-3f;
        sum += h[i];
    }
    printf("sampled claims recover %.1f\n", sum);
    return report(ok);
}
