// Small vibrating plates: a symmetric positive 6 x 6 system for each plate, two million plates. Every
// thread factors one matrix (Cholesky, in registers) and solves for one load. The entries are stored
// one after another for all plates.
#include "common.h"

static const int N = 6, TRI = N * (N + 1) / 2;
static const int PLATES = 1 << 21;

#ifdef GOOD
static const int THREADS = 256;
#else
static const int THREADS = 128;
#endif

__host__ __device__ inline float entry(unsigned m, int i, int j)        // j <= i; dominant diagonal
{
    unsigned h = m * 2654435761u + i * 0x9E3779B9u + j * 0x85EBCA6Bu;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    float u = (h & 1023) * (1.0f / 1024.0f) - 0.5f;
    return i == j ? 4.0f + u : u;
}

__host__ __device__ inline float load(unsigned m, int i) { return 1.0f + ((m + 5u * i) % 17u) * 0.1f; }

__global__ void stiffness(float *a, float *f)
{
    unsigned m = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j <= i; ++j) a[(size_t)(i * (i + 1) / 2 + j) * PLATES + m] = entry(m, i, j);
        f[(size_t)i * PLATES + m] = load(m, i);
    }
}

__global__ void __launch_bounds__(256) solve(const float *__restrict__ a, const float *__restrict__ f, float *__restrict__ x)
{
    const unsigned m = blockIdx.x * blockDim.x + threadIdx.x;
    float l[TRI], y[N];
#pragma unroll
    for (int k = 0; k < TRI; ++k) l[k] = a[(size_t)k * PLATES + m];
#pragma unroll
    for (int i = 0; i < N; ++i) y[i] = f[(size_t)i * PLATES + m];
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
        for (int k = 0; k < j; ++k) l[j * (j + 1) / 2 + j] -= l[j * (j + 1) / 2 + k] * l[j * (j + 1) / 2 + k];
        float inv = rsqrtf(l[j * (j + 1) / 2 + j]);
        l[j * (j + 1) / 2 + j] = inv;           // the reciprocal is kept
#pragma unroll
        for (int i = j + 1; i < N; ++i) {
#pragma unroll
            for (int k = 0; k < j; ++k) l[i * (i + 1) / 2 + j] -= l[i * (i + 1) / 2 + k] * l[j * (j + 1) / 2 + k];
            l[i * (i + 1) / 2 + j] *= inv;
        }
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
#pragma unroll
        for (int k = 0; k < i; ++k) y[i] -= l[i * (i + 1) / 2 + k] * y[k];
        y[i] *= l[i * (i + 1) / 2 + i];
    }
#pragma unroll
    for (int i = N - 1; i >= 0; --i) {
#pragma unroll
        for (int k = i + 1; k < N; ++k) y[i] -= l[k * (k + 1) / 2 + i] * y[k];
        y[i] *= l[i * (i + 1) / 2 + i];
    }
#pragma unroll
    for (int i = 0; i < N; ++i) x[(size_t)i * PLATES + m] = y[i];
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 600;
    float *a, *f, *x;
    CK(cudaMalloc(&a, sizeof(float) * (size_t)TRI * PLATES));
    CK(cudaMalloc(&f, sizeof(float) * (size_t)N * PLATES));
    CK(cudaMalloc(&x, sizeof(float) * (size_t)N * PLATES));
    stiffness<<<PLATES / 256, 256>>>(a, f);
    CK(cudaGetLastError());
    for (int r = 0; r < repeats; ++r)
        solve<<<PLATES / THREADS, THREADS>>>(a, f, x);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned seed = 4;
    for (int t = 0; t < 40; ++t) {
        unsigned m = t == 0 ? PLATES - 1 : (lcg(seed) >> 5) % PLATES;
        float v[N];
        for (int i = 0; i < N; ++i)
            CK(cudaMemcpy(&v[i], x + (size_t)i * PLATES + m, sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; ++i) {           // A x = f
            double s = 0;
            for (int j = 0; j < N; ++j) s += (double)(j <= i ? entry(m, i, j) : entry(m, j, i)) * v[j];
            ok = ok && close_to(s, load(m, i), 1e-4);
        }
    }
    CK(cudaFree(a)); CK(cudaFree(f)); CK(cudaFree(x));
    return report(ok);
}
