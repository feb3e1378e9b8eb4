// Archaeology: every sherd of a large find has six candidate neighbours along its broken edge; the fit of a sherd is
// the weighted likeness of its profile value with theirs.
//   sherdjoins [sweeps]
#include "common.h"

const int N = 1 << 22, CAND = 6;

__host__ __device__ static inline unsigned mixed(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}

__host__ __device__ static inline float profile(int i) { return (float)(mixed(i) & 4095u) * (1.0f / 4096.0f); }
__host__ __device__ static inline int candidate(int i, int k)
{
    int j = i + (int)(mixed(i * 6u + k + 99u) & 63u) - 32;
    return j < 0 ? 0 : j >= N ? N - 1 : j;
}
__host__ __device__ static inline float weight(int i, int k) { return 0.1f + (float)(mixed(i * 6u + k) & 15u) * 0.05f; }

__global__ void unpack(float *value, int *cand, float *w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    value[i] = profile(i);
    for (int k = 0; k < CAND; k++) {
        cand[(size_t)i * CAND + k] = candidate(i, k);
        w[(size_t)i * CAND + k] = weight(i, k);
    }
}

#ifndef GOOD
// A warp for every sherd.
__global__ void __launch_bounds__(256) fit(const float *__restrict__ value, const int *__restrict__ cand,
                                           const float *__restrict__ w, float *__restrict__ score)
{
    int i = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float s = 0;
    if (lane < CAND) {
        size_t at = (size_t)i * CAND + lane;
        s = w[at] * fabsf(value[i] - value[cand[at]]);
    }
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (lane == 0) score[i] = s;
}
#else
// A thread for every sherd.
__global__ void __launch_bounds__(256) fit(const float *__restrict__ value, const int *__restrict__ cand,
                                           const float *__restrict__ w, float *__restrict__ score)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    const int2 *c = (const int2 *)(cand + (size_t)i * CAND);
    const float2 *f = (const float2 *)(w + (size_t)i * CAND);
    float v = value[i], s = 0;
#pragma unroll
    for (int k = 0; k < CAND / 2; k++) {
        int2 j = c[k];
        float2 g = f[k];
        s += g.x * fabsf(v - value[j.x]) + g.y * fabsf(v - value[j.y]);
    }
    score[i] = s;
}
#endif

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 1200;
    float *value, *w, *score;
    int *cand;
    CK(cudaMalloc(&value, (size_t)N * sizeof(float)));
    CK(cudaMalloc(&w, (size_t)N * CAND * sizeof(float)));
    CK(cudaMalloc(&cand, (size_t)N * CAND * sizeof(int)));
    CK(cudaMalloc(&score, (size_t)N * sizeof(float)));
    unpack<<<N / 256, 256>>>(value, cand, w);
    for (int s = 0; s < sweeps; s++) {
#ifndef GOOD
        fit<<<N / 8, 256>>>(value, cand, w, score);
#else
        fit<<<N / 256, 256>>>(value, cand, w, score);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> h(N);
    CK(cudaMemcpy(h.data(), score, (size_t)N * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < N; i += 811) {
        double s = 0;
        for (int k = 0; k < CAND; k++) s += weight(i, k) * fabs((double)profile(i) - profile(candidate(i, k)));
        ok = ok && fabs(h[i] - s) < 1e-4;
    }
    printf("the first sherd's fit is %.4f\n", h[0]);
    return report(ok);
}
