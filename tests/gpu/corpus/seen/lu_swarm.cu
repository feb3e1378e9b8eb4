// Right-looking LU (no pivoting, diagonally dominant) of a handful of 512x512 matrices:
// in each elimination step the trailing block is updated.  Factors stay unscaled: below
// the diagonal stands L(i,k) * U(k,k).
#include "common.h"

#ifndef NM
#define NM 16
#define N 512
#endif

static __host__ __device__ inline float coeff(int m, int i, int j)
{
    unsigned u = ((unsigned)(m * N + i) * N + j) * 2654435761u;
    u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
    float v = (u >> 8) * (1.0f / 16777216.0f) - 0.5f;
    return i == j ? v + N * 0.35f : v;
}

__global__ void assemble(float *a)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, m = blockIdx.z;
    if (j < N) a[((size_t)m * N + i) * N + j] = coeff(m, i, j);
}

__global__ void eliminate(float *a, int k)
{
    float *p = a + (size_t)blockIdx.z * N * N;
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= N || j >= N) return;
    float f = p[i * N + k] / p[k * N + k];
    p[i * N + j] -= f * p[k * N + j];
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 15;
    float *a;
    CK(cudaMalloc(&a, (size_t)NM * N * N * sizeof(float)));
    for (int r = 0; r < rounds; r++) {
        assemble<<<dim3((N + 127) / 128, N, NM), 128>>>(a);
#ifdef GOOD
        for (int k = 0; k + 1 < N; k++) {
            int rest = N - k - 1;
            eliminate<<<dim3((rest + 31) / 32, (rest + 7) / 8, NM), dim3(32, 8)>>>(a, k);
        }
#else
        for (int m = 0; m < NM; m++)
            for (int k = 0; k + 1 < N; k++) {
                int rest = N - k - 1;
                eliminate<<<dim3((rest + 31) / 32, (rest + 7) / 8), dim3(32, 8)>>>(a + (size_t)m * N * N, k);
            }
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> got(N * N);
    std::vector<double> ref(N * N);
    for (int m : {0, NM - 1}) {
        CK(cudaMemcpy(got.data(), a + (size_t)m * N * N, N * N * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) ref[i * N + j] = coeff(m, i, j);
        for (int k = 0; k + 1 < N; k++)
            for (int i = k + 1; i < N; i++) {
                double f = ref[i * N + k] / ref[k * N + k];
                for (int j = k + 1; j < N; j++) ref[i * N + j] -= f * ref[k * N + j];
            }
        for (int q = 0; q < N * N; q++) ok = ok && close_to(got[q], ref[q], 1e-3);
    }
    CK(cudaFree(a));
    return report(ok);
}
