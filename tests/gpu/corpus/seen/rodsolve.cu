// Implicit heat conduction in very many short rods: one thread solves one tridiagonal
// system of 32 unknowns (Thomas), the block stages its rods in shared memory.
#include "common.h"

#define N 32
#define RODS 64
#ifdef GOOD
#define LD (N + 1)
#else
#define LD N
#endif

__global__ void initRods(float *u, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) u[i] = (float)((i * 2654435761ull >> 5) & 255) * (1.0f / 256.0f);
}

__global__ void implicitStep(float *__restrict__ u, float r)
{
    __shared__ float d[RODS * LD], c[RODS * LD];
    size_t base = (size_t)blockIdx.x * RODS * N;
    for (int i = threadIdx.x; i < RODS * N; i += RODS)
        d[(i / N) * LD + i % N] = u[base + i];
    __syncthreads();

    float *dd = d + threadIdx.x * LD, *cc = c + threadIdx.x * LD;
    float a = -r, b = 1.f + 2.f * r;
    float cp = a / b, dp = dd[0] / b;
    cc[0] = cp;
    dd[0] = dp;
    for (int k = 1; k < N; k++) {
        float m = __fdividef(1.f, b - a * cp);
        dp = (dd[k] - a * dp) * m;
        cp = a * m * (1.f + 0.01f * dp);        // conductivity follows the temperature
        cc[k] = cp;
        dd[k] = dp;
    }
    float x = dd[N - 1];
    for (int k = N - 2; k >= 0; k--) {
        x = dd[k] - cc[k] * x;
        dd[k] = x;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < RODS * N; i += RODS)
        u[base + i] = d[(i / N) * LD + i % N];
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 100;
    const int rods = 1 << 20;
    size_t n = (size_t)rods * N;
    float *u;
    CK(cudaMalloc(&u, n * 4));
    initRods<<<(unsigned)(n / 256), 256>>>(u, n);
    std::vector<float> start(N);
    int probe = 777123;
    CK(cudaMemcpy(start.data(), u + (size_t)probe * N, N * 4, cudaMemcpyDeviceToHost));
    const float r = 0.4f;
    for (int s = 0; s < steps; s++) implicitStep<<<rods / RODS, RODS>>>(u, r);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<double> x(start.begin(), start.end()), cp(N);
    for (int s = 0; s < steps; s++) {
        double b = 1 + 2.0 * r, a = -r;
        cp[0] = a / b;
        x[0] /= b;
        for (int k = 1; k < N; k++) {
            double m = 1 / (b - a * cp[k - 1]);
            x[k] = (x[k] - a * x[k - 1]) * m;
            cp[k] = a * m * (1 + 0.01 * x[k]);
        }
        for (int k = N - 2; k >= 0; k--) x[k] -= cp[k] * x[k + 1];
    }
    std::vector<float> got(N);
    CK(cudaMemcpy(got.data(), u + (size_t)probe * N, N * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int k = 0; k < N; k++) ok = ok && close_to(got[k], x[k], 2e-3);
    CK(cudaFree(u));
    return report(ok);
}
