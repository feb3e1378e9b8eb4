// Perfume mixing: every recipe has the amounts of six ingredients. While they evaporate, the strength of each
// ingredient's smell follows a measured curve (polynomial in what is left); sixteen moments of the evening count.
// usage: accords recipes climates
#include "common.h"

#define INGREDIENTS 6
#define TERMS 16
#define MOMENTS 16

#ifdef GOOD
#define THREADS 128
#else
#define THREADS 256
#endif

struct Climate { float keep[INGREDIENTS]; };     // what is left of an ingredient after one moment

__constant__ float curve[INGREDIENTS][TERMS];

__global__ void pour(float *amount, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    for (int i = 0; i < INGREDIENTS; ++i) {
        unsigned h = (unsigned)r * 2654435761u + (unsigned)i * 40503u;
        h = (h ^ (h >> 16)) * 2246822519u;
        amount[(size_t)i * n + r] = 0.2f + 0.8f * (float)(h >> 8) * (1.0f / 16777216.0f);
    }
}

__global__ void smell(const float *__restrict__ amount, float *__restrict__ liking, int n, Climate cl)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float left[INGREDIENTS], sum = 0.0f;
    #pragma unroll
    for (int i = 0; i < INGREDIENTS; ++i) left[i] = amount[(size_t)i * n + r];
    #pragma unroll 1
    for (int m = 0; m < MOMENTS; ++m) {
        float strength[INGREDIENTS];
        #pragma unroll
        for (int i = 0; i < INGREDIENTS; ++i) strength[i] = curve[i][TERMS - 1];
        #pragma unroll
        for (int k = TERMS - 2; k >= 0; --k)
            #pragma unroll
            for (int i = 0; i < INGREDIENTS; ++i) strength[i] = strength[i] * left[i] + curve[i][k];
        #pragma unroll
        for (int i = 0; i < INGREDIENTS; ++i) {
            sum += strength[i];
            left[i] *= cl.keep[i];
        }
    }
    liking[r] = sum;
}

__global__ void best_per_block(const float *liking, float *best, int n)
{
    __shared__ float top[8];
    float v = -1e30f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v = fmaxf(v, liking[i]);
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    if (threadIdx.x % 32 == 0) top[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) v = fmaxf(v, top[k]);
        best[blockIdx.x] = v;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4194304;
    int climates = argc > 2 ? atoi(argv[2]) : 2000;
    const int groups = 264;
    unsigned s = 1921;
    std::vector<float> c(INGREDIENTS * TERMS);
    for (int i = 0; i < INGREDIENTS * TERMS; ++i) c[i] = (frand(s) - 0.4f) / (1.0f + 0.2f * (float)(i % TERMS));
    CK(cudaMemcpyToSymbol(curve, c.data(), c.size() * sizeof(float)));
    float *amount, *liking, *best;
    CK(cudaMalloc(&amount, (size_t)n * INGREDIENTS * sizeof(float)));
    CK(cudaMalloc(&liking, n * sizeof(float)));
    CK(cudaMalloc(&best, groups * sizeof(float)));
    pour<<<(n + 255) / 256, 256>>>(amount, n);
    Climate cl = {};
    for (int k = 0; k < climates; ++k) {
        for (int i = 0; i < INGREDIENTS; ++i) cl.keep[i] = 0.80f + 0.03f * (float)i - 0.0005f * (float)(k % 100);
        smell<<<(n + THREADS - 1) / THREADS, THREADS>>>(amount, liking, n, cl);
    }
    best_per_block<<<groups, 256>>>(liking, best, n);
    CK(cudaGetLastError());
    std::vector<float> l(n), b(groups);
    CK(cudaMemcpy(l.data(), liking, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(b.data(), best, groups * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = *std::max_element(l.begin(), l.end()) == *std::max_element(b.begin(), b.end());
    for (int t = 0; t < 50; ++t) {
        int r = (int)((long long)t * (n - 1) / 49);
        double sum = 0;
        for (int i = 0; i < INGREDIENTS; ++i) {
            unsigned h = (unsigned)r * 2654435761u + (unsigned)i * 40503u;
            h = (h ^ (h >> 16)) * 2246822519u;
            double left = 0.2f + 0.8f * (float)(h >> 8) * (1.0f / 16777216.0f);
            for (int m = 0; m < MOMENTS; ++m) {
                double v = 0;
                for (int k = TERMS - 1; k >= 0; --k) v = v * left + c[i * TERMS + k];
                sum += v;
                left *= cl.keep[i];
            }
        }
        ok = ok && close_to(l[r], sum, 1e-3);
    }
    printf("best recipe of the last climate: %.4f\n", *std::max_element(b.begin(), b.end()));
    CK(cudaFree(amount)); CK(cudaFree(liking)); CK(cudaFree(best));
    return report(ok);
}
