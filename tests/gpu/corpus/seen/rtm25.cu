// Acoustic wave equation in three dimensions, eighth order in space: the forward part of
// a reverse time migration.
// usage: rtm25 [steps] [n]
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CHECK(call) { cudaError_t e = (call); if (e != cudaSuccess) { \
    fprintf(stderr, "%s failed: %s\n", #call, cudaGetErrorString(e)); exit(EXIT_FAILURE); } }
#define R 4
#define IDX(i, j, k) (((size_t)(k) * n + (j)) * n + (i))

__constant__ float coef[R + 1];

__global__ void velocity_model(float *vel, float *p, float *q, int n, float dt2)
{
    size_t m = (size_t)n * n * n;
    for (size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x; t < m; t += (size_t)gridDim.x * blockDim.x) {
        int k = (int)(t / ((size_t)n * n));
        float v = k < n / 3 ? 1500.f : k < n / 2 ? 2200.f : 3100.f;
        vel[t] = v * v * dt2;
        p[t] = q[t] = 0.f;
    }
}

__global__ void source(float *p, int n, float amplitude)
{
    p[IDX(n / 2, n / 2, n / 2)] += amplitude;
}

__global__ void propagate(const float *__restrict__ p, float *__restrict__ q, const float *__restrict__ vel, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + R;
    int j = blockIdx.y * blockDim.y + threadIdx.y + R;
    int k = blockIdx.z * blockDim.z + threadIdx.z + R;
    if (i >= n - R || j >= n - R || k >= n - R) return;
    size_t c = IDX(i, j, k), sy = n, sz = (size_t)n * n;
    float lap = 3.f * coef[0] * p[c];
#pragma unroll
    for (int r = 1; r <= R; r++)
        lap += coef[r] * (p[c + r] + p[c - r] + p[c + r * sy] + p[c - r * sy] + p[c + r * sz] + p[c - r * sz]);
    q[c] = 2.f * p[c] - q[c] + vel[c] * lap;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 60, n = argc > 2 ? atoi(argv[2]) : 456;
    const float h[R + 1] = {-205.f / 72.f, 8.f / 5.f, -1.f / 5.f, 8.f / 315.f, -1.f / 560.f};
    size_t m = (size_t)n * n * n;
    float *p, *q, *vel;
    CHECK(cudaMemcpyToSymbol(coef, h, sizeof h));
    CHECK(cudaMalloc(&p, m * sizeof(float)));
    CHECK(cudaMalloc(&q, m * sizeof(float)));
    CHECK(cudaMalloc(&vel, m * sizeof(float)));
    velocity_model<<<2112, 256>>>(vel, p, q, n, 1e-8f);
#ifndef GOOD
    dim3 block(4, 8, 8);
#else
    dim3 block(64, 4, 1);
#endif
    int in = n - 2 * R;
    dim3 grid((in + block.x - 1) / block.x, (in + block.y - 1) / block.y, (in + block.z - 1) / block.z);
    for (int s = 0; s < steps; s++) {
        float a = s * 0.1f - 1.5f;
        source<<<1, 1>>>(p, n, (1.f - 2.f * a * a) * expf(-a * a));
        propagate<<<grid, block>>>(p, q, vel, n);
        float *t = p; p = q; q = t;
    }
    CHECK(cudaGetLastError());
    // The wave starts in the middle and is symmetric in x and y.
    float *row = (float *)malloc(n * sizeof(float)), *col = (float *)malloc(n * sizeof(float));
    CHECK(cudaMemcpy(row, p + IDX(0, n / 2, n / 2), n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy2D(col, sizeof(float), p + IDX(n / 2, 0, n / 2), n * sizeof(float), sizeof(float), n, cudaMemcpyDeviceToHost));
    double sum = 0, diff = 0;
    for (int i = 0; i < n; i++) {
        sum += fabs(row[i]);
        diff += fabs(row[i] - col[i]);
        if (i > 0 && 2 * (n / 2) - i < n) diff += fabs(row[i] - row[2 * (n / 2) - i]);
    }
    printf("|p| along x %g, asymmetry %g\n", sum, diff);
    int off = n / 2 + 3, bad = !(sum > 0 && diff < 1e-3 * sum && fabs(row[off]) > 1e-6 * sum && fabs(row[off]) < 0.5 * sum);
    puts(bad ? "WRONG" : "fine");
    return bad;
}
