// Mass, centre of mass and second moments of a density volume (CT phantom), by a
// grid-stride loop; every launch adds into seven global sums.
#include "common.h"

#ifndef LOGX
#define LOGX 10
#define LOGY 9
#define LOGZ 8
#endif
#define NX (1 << LOGX)
#define NY (1 << LOGY)
#define NZ (1 << LOGZ)

static __host__ __device__ inline float density(unsigned k)
{
    k *= 2654435761u; k ^= k >> 16;
    return (float)(k & 255u) * (1.0f / 255.0f);
}

__global__ void phantom(float *rho, size_t n)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += step) rho[k] = density((unsigned)k);
}

__global__ void moments7(const float *__restrict__ rho, float *sums, size_t n)
{
    float a[7] = {0, 0, 0, 0, 0, 0, 0};
    size_t step = (size_t)gridDim.x * blockDim.x;
#pragma unroll 4
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += step) {
        unsigned u = (unsigned)k;
        float x = (u & (NX - 1)) * (1.0f / NX);
        float y = ((u >> LOGX) & (NY - 1)) * (1.0f / NY);
        float z = (u >> (LOGX + LOGY)) * (1.0f / NZ);
        float m = rho[k];
        a[0] += m;
        a[1] += m * x; a[2] += m * y; a[3] += m * z;
        a[4] += m * x * x; a[5] += m * y * y; a[6] += m * z * z;
    }
#ifdef GOOD
    for (int q = 0; q < 7; q++)
        for (int d = 16; d > 0; d >>= 1) a[q] += __shfl_down_sync(0xffffffffu, a[q], d);
    if ((threadIdx.x & 31) == 0)
        for (int q = 0; q < 7; q++) atomicAdd(&sums[q], a[q]);
#else
    for (int q = 0; q < 7; q++) atomicAdd(&sums[q], a[q]);
#endif
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 400;
    size_t n = (size_t)NX * NY * NZ;
    int dev, sms;
    CK(cudaGetDevice(&dev));
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    float *rho, *sums;
    CK(cudaMalloc(&rho, n * sizeof(float)));
    CK(cudaMalloc(&sums, rounds * 8 * sizeof(float)));
    CK(cudaMemset(sums, 0, rounds * 8 * sizeof(float)));
    phantom<<<sms * 8, 256>>>(rho, n);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) moments7<<<sms * 8, 256>>>(rho, sums + r * 8, n);
    CK(cudaGetLastError());
    std::vector<float> got(rounds * 8);
    CK(cudaMemcpy(got.data(), sums, rounds * 8 * sizeof(float), cudaMemcpyDeviceToHost));

    double ref[7] = {0, 0, 0, 0, 0, 0, 0};
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++) {
            double m0 = 0, m1 = 0, m2 = 0;
            unsigned base = ((unsigned)z * NY + y) * NX;
            for (int x = 0; x < NX; x++) {
                float m = density(base + x), fx = x * (1.0f / NX);
                m0 += m; m1 += m * fx; m2 += m * fx * fx;
            }
            double fy = (double)y / NY, fz = (double)z / NZ;
            ref[0] += m0; ref[1] += m1; ref[4] += m2;
            ref[2] += m0 * fy; ref[5] += m0 * fy * fy;
            ref[3] += m0 * fz; ref[6] += m0 * fz * fz;
        }
    bool ok = true;
    for (int r : {0, rounds - 1})
        for (int q = 0; q < 7; q++) ok = ok && close_to(got[r * 8 + q], ref[q], 2e-3);
    printf("mass %.6g centre %.4f %.4f %.4f\n", ref[0], ref[1] / ref[0], ref[2] / ref[0], ref[3] / ref[0]);
    CK(cudaFree(rho)); CK(cudaFree(sums));
    return report(ok);
}
