// Totalisator at the race course: the money on the 128 pairs of each pool moves, round by round, towards the pairs that
// pay more than their chance of winning, until the odds have settled.
// usage: totepool pools repetitions
#include "common.h"

#define PAIRS 128
#define ROUNDS 64

__host__ __device__ inline float chanceOf(unsigned pool, unsigned k)
{
    unsigned h = pool * 2654435761u + k * 2246822519u;
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 13;
    return (0.2f + (float)(h & 1023) * (1.6f / 1024.0f)) * (1.0f / PAIRS);
}
template <typename T> __host__ __device__ inline T moved(T money, T chance, T total, T per, T bonus)
{
    return T(0.8f) * money + T(0.2f) * chance * (total + bonus) / (T(1) + money * per);
}
__device__ inline float bet(float money, float chance, float total, float per, float bonus)
{
    return 0.8f * money + __fdividef(0.2f * chance * (total + bonus), 1.0f + money * per);
}

__global__ void forecast(float *chance)
{
    chance[(size_t)blockIdx.x * PAIRS + threadIdx.x] = chanceOf(blockIdx.x, threadIdx.x);
}

#ifdef GOOD
#define POOLS 4              // of a block: a warp each, four pairs a lane
__global__ void __launch_bounds__(32 * POOLS) settle(const float *__restrict__ chance, float *__restrict__ money, float bonus)
{
    const size_t at = ((size_t)blockIdx.x * POOLS + threadIdx.x / 32) * (PAIRS / 4) + threadIdx.x % 32;
    const float4 c = ((const float4 *)chance)[at];
    float4 m = make_float4(1.0f, 1.0f, 1.0f, 1.0f);
    for (int r = 0; r < ROUNDS; ++r) {
        float total = (m.x + m.y) + (m.z + m.w);
        #pragma unroll
        for (int o = 16; o; o >>= 1) total += __shfl_xor_sync(0xffffffffu, total, o);
        float per = __fdividef(1.0f, total);
        m.x = bet(m.x, c.x, total, per, bonus);
        m.y = bet(m.y, c.y, total, per, bonus);
        m.z = bet(m.z, c.z, total, per, bonus);
        m.w = bet(m.w, c.w, total, per, bonus);
    }
    ((float4 *)money)[at] = m;
}
#else
#define POOLS 1              // of a block: a thread per pair
__global__ void __launch_bounds__(PAIRS) settle(const float *__restrict__ chance, float *__restrict__ money, float bonus)
{
    __shared__ float sum[PAIRS];
    const size_t at = (size_t)blockIdx.x * PAIRS + threadIdx.x;
    const float c = chance[at];
    float m = 1.0f;
    for (int r = 0; r < ROUNDS; ++r) {
        sum[threadIdx.x] = m;
        __syncthreads();
        #pragma unroll
        for (int s = PAIRS / 2; s > 0; s >>= 1) {
            if (threadIdx.x < s) sum[threadIdx.x] += sum[threadIdx.x + s];
            __syncthreads();
        }
        float total = sum[0];
        m = bet(m, c, total, __fdividef(1.0f, total), bonus);
        __syncthreads();
    }
    money[at] = m;
}
#endif

int main(int argc, char **argv)
{
    const int pools = (argc > 1 ? atoi(argv[1]) : 67584) / 4 * 4, reps = argc > 2 ? atoi(argv[2]) : 700;
    const size_t n = (size_t)pools * PAIRS;
    float *chance, *money;
    CK(cudaMalloc(&chance, n * sizeof(float)));
    CK(cudaMalloc(&money, n * sizeof(float)));
    forecast<<<pools, PAIRS>>>(chance);
    float bonus = 0.0f;
    for (int r = 0; r < reps; ++r) {
        bonus = 40.0f + (float)(r % 13);
        settle<<<pools / POOLS, POOLS == 1 ? PAIRS : 32 * POOLS>>>(chance, money, bonus);
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), money, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 60; ++q) {
        int p = (int)((long long)q * (pools - 1) / 59);
        std::vector<double> m(PAIRS, 1.0);
        double total = 0;
        for (int r = 0; r < ROUNDS; ++r) {
            total = 0;
            for (double x : m) total += x;
            for (int k = 0; k < PAIRS; ++k) m[k] = moved<double>(m[k], chanceOf(p, k), total, 1.0 / total, bonus);
        }
        for (int k = 0; k < PAIRS; ++k) ok = ok && close_to(got[(size_t)p * PAIRS + k], m[k], 2e-3);
        if (q == 30) printf("pool %d holds %.2f, the first pair %.4f (%.4f)\n", p, total, got[(size_t)p * PAIRS], m[0]);
    }
    CK(cudaFree(chance)); CK(cudaFree(money));
    return report(ok);
}
