// Die links of a coin hoard: the relief of each coin along a ring around its centre is a profile of 64 values, and
// coins whose profiles differ little (sum of absolute differences) may come from the same die.
// usage: dielinks coins repetitions
#include "common.h"

#define PROFILE 64

__host__ __device__ inline float relief(unsigned coin, unsigned k)
{
    unsigned h = (coin % 500u) * 2654435761u + k * 2246822519u;          // so many dies
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 13;
    unsigned w = (coin * 40503u + k * 977u) * 2654435761u;               // wear
    return (float)(h & 1023) * (1.0f / 1024.0f) + (float)(w >> 24) * (0.02f / 256.0f);
}

// profiles lie position by position: all coins' value 0, all coins' value 1, ...
__global__ void scan_coins(float *p, int coins)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    if (c < coins) p[(size_t)k * coins + c] = relief(c, k);
}

#ifdef GOOD

#define TILE 64
__global__ void __launch_bounds__(256) compare(const float *__restrict__ p, float *__restrict__ dist, int coins)
{
    __shared__ __align__(16) float a[PROFILE / 2][TILE], b[PROFILE / 2][TILE];
    const int t = threadIdx.y * 16 + threadIdx.x;
    const int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    float s[4][4] = {};
    for (int half = 0; half < 2; ++half) {
        if (half) __syncthreads();
        for (int i = t; i < PROFILE / 2 * TILE / 4; i += 256) {
            int k = i / (TILE / 4), x = i % (TILE / 4) * 4;
            const float *q = p + (size_t)(half * (PROFILE / 2) + k) * coins;
            *(float4 *)&a[k][x] = *(const float4 *)(q + row + x);
            *(float4 *)&b[k][x] = *(const float4 *)(q + col + x);
        }
        __syncthreads();
        #pragma unroll 8
        for (int k = 0; k < PROFILE / 2; ++k) {
            float4 u = *(const float4 *)&a[k][threadIdx.y * 4], v = *(const float4 *)&b[k][threadIdx.x * 4];
            float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
            #pragma unroll
            for (int i = 0; i < 4; ++i)
                #pragma unroll
                for (int j = 0; j < 4; ++j) s[i][j] += fabsf(us[i] - vs[j]);
        }
    }
    #pragma unroll
    for (int i = 0; i < 4; ++i)
        *(float4 *)(dist + (size_t)(row + threadIdx.y * 4 + i) * coins + col + threadIdx.x * 4) =
            make_float4(s[i][0], s[i][1], s[i][2], s[i][3]);
}

#else

#define TILE 16
__global__ void __launch_bounds__(256) compare(const float *__restrict__ p, float *__restrict__ dist, int coins)
{
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float s = 0.0f;
    #pragma unroll 16
    for (int k = 0; k < PROFILE; ++k) s += fabsf(p[(size_t)k * coins + row] - p[(size_t)k * coins + col]);
    dist[(size_t)row * coins + col] = s;
}

#endif

int main(int argc, char **argv)
{
    int coins = (argc > 1 ? atoi(argv[1]) : 4096) / 64 * 64, reps = argc > 2 ? atoi(argv[2]) : 2200;
    float *p, *dist;
    CK(cudaMalloc(&p, (size_t)coins * PROFILE * sizeof(float)));
    CK(cudaMalloc(&dist, (size_t)coins * coins * sizeof(float)));
    scan_coins<<<dim3((coins + 255) / 256, PROFILE), 256>>>(p, coins);
    for (int r = 0; r < reps; ++r) compare<<<dim3(coins / TILE, coins / TILE), dim3(16, 16)>>>(p, dist, coins);
    CK(cudaGetLastError());
    std::vector<float> got((size_t)coins * coins);
    CK(cudaMemcpy(got.data(), dist, got.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    unsigned s = 5;
    for (int q = 0; q < 4000; ++q) {
        int i = (int)(lcg(s) >> 8) % coins, j = q % 8 ? (int)(lcg(s) >> 8) % coins : (i + 500) % coins;
        double want = 0;
        for (int k = 0; k < PROFILE; ++k) want += fabs((double)relief(i, k) - relief(j, k));
        ok = ok && fabs(got[(size_t)i * coins + j] - want) < 1e-3 + 1e-4 * want;
    }
    int links = 0;
    for (int j = 1; j < coins; ++j) links += got[j] < 3.0f;
    printf("coin 0 shares its die with %d coins\n", links);
    CK(cudaFree(p)); CK(cudaFree(dist));
    return report(ok);
}
