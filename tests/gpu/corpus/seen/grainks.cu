// Soil mechanics: Kolmogorov-Smirnov distance of every sampled grain-size curve from every reference curve, the largest
// gap between two cumulative curves over 512 sieve sizes.
//   grainks [times]
#include "common.h"

const int SAMPLES = 4096, REFS = 4096, SIEVES = 512;

__host__ __device__ static inline float passing(unsigned curve, int sieve)
{
    unsigned h = curve * 2654435761u; h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13;
    float mid = 0.2f + 0.6f * (float)(h & 0xffffu) / 65536.0f, steep = 4.0f + 12.0f * (float)(h >> 16) / 65536.0f;
    float z = ((float)sieve / SIEVES - mid) * steep;
    return 0.5f + 0.5f * z / (1.0f + fabsf(z));
}

// Curves lie side by side: curve[sieve][number].
__global__ void draw(float *curve, int n, unsigned first)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, s = blockIdx.y;
    if (c < n) curve[(size_t)s * n + c] = passing(first + c, s);
}

#ifndef GOOD
__global__ void ks(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ gap)
{
    int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    float d = 0;
#pragma unroll 8
    for (int k = 0; k < SIEVES; k++)
        d = fmaxf(d, fabsf(a[(size_t)k * SAMPLES + i] - b[(size_t)k * REFS + j]));
    gap[(size_t)i * REFS + j] = d;
}
#else
__global__ void __launch_bounds__(256) ks(const float *__restrict__ a, const float *__restrict__ b,
                                          float *__restrict__ gap)
{
    __shared__ __align__(16) float as[16][64], bs[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
    float d[4][4] = {};
    for (int k0 = 0; k0 < SIEVES; k0 += 16) {
#pragma unroll
        for (int q = 0; q < 4; q++) {
            int x = t + q * 256, k = x / 64, c = x % 64;
            as[k][c] = a[(size_t)(k0 + k) * SAMPLES + i0 + c];
            bs[k][c] = b[(size_t)(k0 + k) * REFS + j0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 u = *(const float4 *)&as[k][ty * 4], v = *(const float4 *)&bs[k][tx * 4];
            float p[4] = {u.x, u.y, u.z, u.w}, r[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 4; x++) d[y][x] = fmaxf(d[y][x], fabsf(p[y] - r[x]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; y++)
        *(float4 *)&gap[(size_t)(i0 + ty * 4 + y) * REFS + j0 + tx * 4] =
            make_float4(d[y][0], d[y][1], d[y][2], d[y][3]);
}
#endif

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 250;
    float *a, *b, *gap;
    CK(cudaMalloc(&a, (size_t)SAMPLES * SIEVES * sizeof(float)));
    CK(cudaMalloc(&b, (size_t)REFS * SIEVES * sizeof(float)));
    CK(cudaMalloc(&gap, (size_t)SAMPLES * REFS * sizeof(float)));
    draw<<<dim3(SAMPLES / 256, SIEVES), 256>>>(a, SAMPLES, 1);
    draw<<<dim3(REFS / 256, SIEVES), 256>>>(b, REFS, 1000001);
    for (int t = 0; t < times; t++) {
#ifndef GOOD
        ks<<<dim3(REFS / 32, SAMPLES / 8), dim3(32, 8)>>>(a, b, gap);
#else
        ks<<<dim3(REFS / 64, SAMPLES / 64), dim3(16, 16)>>>(a, b, gap);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> row(REFS);
    bool ok = true;
    for (int i = 3; i < SAMPLES; i += 601) {
        CK(cudaMemcpy(row.data(), gap + (size_t)i * REFS, REFS * sizeof(float), cudaMemcpyDeviceToHost));
        for (int j = 1; j < REFS; j += 37) {
            float d = 0;
            for (int k = 0; k < SIEVES; k++) d = std::max(d, fabsf(passing(1 + i, k) - passing(1000001 + j, k)));
            ok = ok && fabsf(d - row[j]) < 1e-4f;
        }
    }
    printf("gap of the last two looked at: %.4f\n", row[1]);
    return report(ok);
}
