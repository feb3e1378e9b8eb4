// Robot convoy: covariances of many tracked obstacles (position and speed in space, six states) are carried
// forward, P = F P F' + Q, forty steps between two looks. A tracker per thread.
// usage: trackcone thousandTrackers looks
#include "common.h"

#define D 6
#define STEPS 40
__constant__ float F[D * D];
__constant__ float Q[D];

__host__ __device__ inline float first_guess(int i, int r, int c) { return r == c ? 1.0f + (i % 17) * 0.25f + 0.1f * r : 0.05f; }

__global__ void appear(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[(size_t)blockIdx.y * n + i] = first_guess(i, blockIdx.y / D, blockIdx.y % D);
}

#ifdef GOOD
__global__ void __launch_bounds__(256, 2)
#else
__global__ void __launch_bounds__(256, 8)        // all the warps that fit
#endif
predict(float *__restrict__ cov, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float p[D * D], t[D * D];
#pragma unroll
    for (int k = 0; k < D * D; k++) p[k] = cov[(size_t)k * n + i];
#pragma unroll 1
    for (int s = 0; s < STEPS; s++) {
#pragma unroll
        for (int r = 0; r < D; r++)
#pragma unroll
            for (int c = 0; c < D; c++) {
                float a = 0.0f;
#pragma unroll
                for (int k = 0; k < D; k++) a += F[r * D + k] * p[k * D + c];
                t[r * D + c] = a;
            }
#pragma unroll
        for (int r = 0; r < D; r++)
#pragma unroll
            for (int c = 0; c < D; c++) {
                float a = r == c ? Q[r] : 0.0f;
#pragma unroll
                for (int k = 0; k < D; k++) a += t[r * D + k] * F[c * D + k];
                p[r * D + c] = a;
            }
    }
#pragma unroll
    for (int k = 0; k < D * D; k++) cov[(size_t)k * n + i] = p[k];
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 528) * 1024;
    int looks = argc > 2 ? atoi(argv[2]) : 400;
    float f[D * D], q[D];
    unsigned seed = 41;
    for (int r = 0; r < D; r++) {
        for (int c = 0; c < D; c++) f[r * D + c] = (r == c ? 0.93f : c == r + 3 ? 0.05f : 0.0f) + 0.02f * (frand(seed) - 0.5f);
        q[r] = r < 3 ? 0.002f : 0.01f;
    }
    CK(cudaMemcpyToSymbol(F, f, sizeof f));
    CK(cudaMemcpyToSymbol(Q, q, sizeof q));
    float *cov;
    CK(cudaMalloc(&cov, (size_t)n * D * D * sizeof(float)));
    appear<<<dim3((n + 255) / 256, D * D), 256>>>(cov, n);
    for (int l = 0; l < looks; l++) predict<<<(n + 255) / 256, 256>>>(cov, n);
    CK(cudaGetLastError());
    std::vector<float> got((size_t)n * D * D);
    CK(cudaMemcpy(got.data(), cov, got.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i : {0, 1, n / 2 + 3, n - 1}) {
        double p[D][D], t[D][D];
        for (int r = 0; r < D; r++)
            for (int c = 0; c < D; c++) p[r][c] = first_guess(i, r, c);
        for (int s = 0; s < looks * STEPS; s++) {
            for (int r = 0; r < D; r++)
                for (int c = 0; c < D; c++) {
                    t[r][c] = 0;
                    for (int k = 0; k < D; k++) t[r][c] += f[r * D + k] * p[k][c];
                }
            for (int r = 0; r < D; r++)
                for (int c = 0; c < D; c++) {
                    p[r][c] = r == c ? q[r] : 0;
                    for (int k = 0; k < D; k++) p[r][c] += t[r][k] * f[c * D + k];
                }
        }
        for (int r = 0; r < D; r++)
            for (int c = 0; c < D; c++) ok = ok && fabs(got[(size_t)(r * D + c) * n + i] - p[r][c]) < 1e-3 * (1e-2 + fabs(p[r][c]));
        printf("tracker %d: variance %.5f (%.5f)\n", i, got[i], p[0][0]);
    }
    CK(cudaFree(cov));
    return report(ok);
}
