// Many small dense systems (one chemistry cell each): LU without pivoting and the two
// triangular solves, one system per thread, matrices stored interleaved.
#include "common.h"

#ifndef CELLS
#define CELLS (4 << 20)
#endif
#define NS 7          // species

static __host__ __device__ inline float entry(unsigned cell, int r, int c)
{
    unsigned u = (cell * 64u + r * 8 + c) * 2654435761u;
    u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
    float v = (u >> 8) * (1.0f / 16777216.0f) - 0.5f;
    return r == c ? 5.0f + v : v;
}

__global__ void assemble(float *A, float *b, int cells, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= cells) return;
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) A[(size_t)(r * n + c) * cells + id] = entry(id, r, c);
        b[(size_t)r * cells + id] = entry(id, r, 7);
    }
}

__global__ void lu_solve(const float *__restrict__ A, const float *__restrict__ b, float *__restrict__ x,
                         int cells, int species)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= cells) return;
#ifdef GOOD
    constexpr int n = NS;
#define UNR _Pragma("unroll")
#else
    const int n = species;
#define UNR
#endif
    float a[NS][NS], y[NS];
    UNR for (int r = 0; r < n; r++) {
        UNR for (int c = 0; c < n; c++) a[r][c] = A[(size_t)(r * n + c) * cells + id];
        y[r] = b[(size_t)r * cells + id];
    }
    UNR for (int k = 0; k < n; k++) {
        float inv = 1.0f / a[k][k];
        UNR for (int r = k + 1; r < n; r++) {
            float f = a[r][k] * inv;
            a[r][k] = f;
            UNR for (int c = k + 1; c < n; c++) a[r][c] -= f * a[k][c];
            y[r] -= f * y[k];
        }
    }
    UNR for (int r = n - 1; r >= 0; r--) {
        float s = y[r];
        UNR for (int c = r + 1; c < n; c++) s -= a[r][c] * y[c];
        y[r] = s / a[r][r];
        x[(size_t)r * cells + id] = y[r];
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 150;
    const int cells = CELLS, n = NS;
    float *A, *b, *x;
    CK(cudaMalloc(&A, (size_t)cells * n * n * sizeof(float)));
    CK(cudaMalloc(&b, (size_t)cells * n * sizeof(float)));
    CK(cudaMalloc(&x, (size_t)cells * n * sizeof(float)));
    assemble<<<(cells + 255) / 256, 256>>>(A, b, cells, n);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) lu_solve<<<(cells + 127) / 128, 128>>>(A, b, x, cells, n);
    CK(cudaGetLastError());
    std::vector<float> got((size_t)cells * n);
    CK(cudaMemcpy(got.data(), x, got.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 500; t++) {       // residuals
        int id = (int)(((long long)t * 8191 + 7) % cells);
        for (int r = 0; r < n; r++) {
            double s = 0;
            for (int c = 0; c < n; c++) s += (double)entry(id, r, c) * got[(size_t)c * cells + id];
            ok = ok && fabs(s - entry(id, r, 7)) < 1e-4;
        }
    }
    CK(cudaFree(A)); CK(cudaFree(b)); CK(cudaFree(x));
    return report(ok);
}
