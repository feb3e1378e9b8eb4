// Forward substitution L x = b for one small lower-triangular factor and very many right-hand sides
// (sensor whitening). One thread solves one right-hand side in place.
#include "common.h"

const int N = 48, RHS = 1 << 20;
__constant__ float factor[N * (N + 1) / 2];    // rows packed, diagonal holds its reciprocal

#ifdef GOOD
__device__ __host__ inline size_t at(int rhs, int row) { return (size_t)row * RHS + rhs; }   // [row][rhs]
#else
__device__ __host__ inline size_t at(int rhs, int row) { return (size_t)rhs * N + row; }     // [rhs][row]
#endif

__device__ __host__ inline float sample(int rhs, int row)
{
    unsigned x = (unsigned)rhs * 2654435761u + row * 40503u;
    x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;
    return (x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__global__ void load_rhs(float *b)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= RHS) return;
    for (int i = 0; i < N; i++) b[at(r, i)] = sample(r, i);
}

__global__ void solve(const float *__restrict__ b, float *__restrict__ out)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= RHS) return;
    float x[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        float s = b[at(r, i)];
#pragma unroll
        for (int j = 0; j < i; j++) s -= factor[i * (i + 1) / 2 + j] * x[j];
        x[i] = s * factor[i * (i + 1) / 2 + i];
        out[at(r, i)] = x[i];
    }
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 400;
    std::vector<float> l(N * (N + 1) / 2);
    unsigned seed = 17;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            l[i * (i + 1) / 2 + j] = i == j ? 1.0f / (1.0f + frand(seed)) : 0.3f * (frand(seed) - 0.5f);
    CK(cudaMemcpyToSymbol(factor, l.data(), l.size() * sizeof(float)));

    float *b, *x;
    CK(cudaMalloc(&b, (size_t)RHS * N * sizeof(float)));
    CK(cudaMalloc(&x, (size_t)RHS * N * sizeof(float)));
    load_rhs<<<RHS / 256, 256>>>(b);
    CK(cudaGetLastError());
    for (int k = 0; k < batches; k++)
        solve<<<RHS / 128, 128>>>(b, x);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int r = 3; r < RHS; r += RHS / 7) {
        double y[N];
        for (int i = 0; i < N; i++) {
            double s = sample(r, i);
            for (int j = 0; j < i; j++) s -= (double)l[i * (i + 1) / 2 + j] * y[j];
            y[i] = s * l[i * (i + 1) / 2 + i];
            float g;
            CK(cudaMemcpy(&g, x + at(r, i), sizeof(float), cudaMemcpyDeviceToHost));
            ok = ok && close_to(g, y[i], 1e-3);
        }
    }
    CK(cudaFree(b));
    CK(cudaFree(x));
    return report(ok);
}
