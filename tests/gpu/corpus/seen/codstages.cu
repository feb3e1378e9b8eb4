// Harvest rules for a cod stock: a stock of 40 age classes is carried through the years under many harvest rates and
// recruitment curves; what spawns at the end and what was caught is kept.
// usage: codstages scenarios repetitions
#include "common.h"

#define AGES 40
#define YEARS 50

#ifdef GOOD
#define BOUNDS __launch_bounds__(256)
#else
#define BOUNDS __launch_bounds__(256, 8)
#endif

__host__ __device__ constexpr float weightAt(int a) { return 12.0f * (a + 1) / (a + 9.0f); }
__host__ __device__ constexpr float matureAt(int a) { return a < 3 ? 0.0f : a < 8 ? (a - 2) / 6.0f : 1.0f; }
__host__ __device__ constexpr float caughtAt(int a) { return a < 2 ? 0.0f : a < 6 ? (a - 1) / 5.0f : 1.0f - 0.004f * a; }
__host__ __device__ constexpr float surviveAt(int a) { return a == 0 ? 0.45f : a < 30 ? 0.82f : 0.7f; }

__host__ __device__ inline float2 scenario(unsigned i)    // harvest rate, slope of the recruitment
{
    unsigned h = i * 2654435761u;
    h ^= h >> 16; h *= 2246822519u; h ^= h >> 13;
    return make_float2((float)(h & 255) * (0.5f / 256.0f), 0.4f + (float)((h >> 8) & 255) * (1.2f / 256.0f));
}

__global__ void invent(float2 *rule, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rule[i] = scenario(i);
}

__global__ void BOUNDS project(const float2 *__restrict__ rule, float2 *__restrict__ result, int n, int years)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 r = rule[i];
    float stock[AGES], spawn = 0.0f, caught = 0.0f;
    #pragma unroll
    for (int a = 0; a < AGES; ++a) stock[a] = 1.0f / (a + 1.0f);
    #pragma unroll 1
    for (int y = 0; y < years; ++y) {
        float s[4] = {}, c[4] = {};
        #pragma unroll
        for (int a = AGES - 1; a >= 0; --a) {
            float take = r.x * caughtAt(a) * stock[a];
            s[a % 4] += matureAt(a) * weightAt(a) * stock[a];
            c[a % 4] += weightAt(a) * take;
            float left = surviveAt(a) * (stock[a] - take);
            if (a == AGES - 1) stock[a] = left;
            else if (a == AGES - 2) stock[a + 1] += left;                // the oldest stay together
            else stock[a + 1] = left;
        }
        spawn = (s[0] + s[1]) + (s[2] + s[3]);
        caught += (c[0] + c[1]) + (c[2] + c[3]);
        stock[0] = r.y * spawn * __frcp_rn(1.0f + 0.2f * spawn);
    }
    result[i] = make_float2(spawn, caught);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1081344, reps = argc > 2 ? atoi(argv[2]) : 150;
    float2 *rule, *result;
    CK(cudaMalloc(&rule, n * sizeof(float2)));
    CK(cudaMalloc(&result, n * sizeof(float2)));
    invent<<<(n + 255) / 256, 256>>>(rule, n);
    for (int k = 0; k < reps; ++k) project<<<(n + 255) / 256, 256>>>(rule, result, n, YEARS);
    CK(cudaGetLastError());
    std::vector<float2> got(n);
    CK(cudaMemcpy(got.data(), result, n * sizeof(float2), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 200; ++q) {
        int i = (int)((long long)q * (n - 1) / 199);
        float2 r = scenario(i);
        double stock[AGES], spawn = 0, caught = 0;
        for (int a = 0; a < AGES; ++a) stock[a] = 1.0 / (a + 1);
        for (int y = 0; y < YEARS; ++y) {
            double next[AGES] = {};
            spawn = 0;
            for (int a = 0; a < AGES; ++a) {
                double take = r.x * caughtAt(a) * stock[a];
                spawn += matureAt(a) * weightAt(a) * stock[a];
                caught += weightAt(a) * take;
                next[std::min(a + 1, AGES - 1)] += surviveAt(a) * (stock[a] - take);
            }
            next[0] = r.y * spawn / (1 + 0.2 * spawn);
            std::copy(next, next + AGES, stock);
        }
        ok = ok && close_to(got[i].x, spawn, 1e-3) && close_to(got[i].y, caught, 1e-3);
        if (q == 100) printf("spawning stock %.4f (%.4f), caught %.3f (%.3f)\n", got[i].x, spawn, got[i].y, caught);
    }
    CK(cudaFree(rule)); CK(cudaFree(result));
    return report(ok);
}
