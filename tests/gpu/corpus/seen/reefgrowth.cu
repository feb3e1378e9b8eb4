// Coral reef model: growth and erosion alternate on a large map of cells; the calcified
// mass of the last year is reported.
#include "common.h"

__host__ __device__ static inline float startMass(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return 0.2f + (h & 1023) * (0.5f / 1024.0f);
}
__global__ void seed(float *m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) m[i] = startMass(i);
}
__host__ __device__ static inline float growCell(float m, float light)
{
    for (int day = 0; day < 180; day++) m += 0.01f * light * m * (1.f - m);
    return m;
}
__host__ __device__ static inline float erodeCell(float m, float storm)
{
    for (int day = 0; day < 180; day++) m -= 0.004f * storm * m * m;
    return m;
}
__global__ void grow(float *m, int n, float light)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) m[i] = growCell(m[i], light);
}
__global__ void erode(float *m, int n, float storm)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) m[i] = erodeCell(m[i], storm);
}

int main(int argc, char **argv)
{
    int years = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 1 << 22;
    size_t bytes = (size_t)n * 4;
    float *m, *host;
    CK(cudaMalloc(&m, bytes));
    CK(cudaMallocHost(&host, bytes));
    seed<<<n / 256, 256>>>(m, n);
    for (int y = 0; y < years; y++) {
        grow<<<n / 256, 256>>>(m, n, 0.6f + 0.004f * (y % 50));
#ifndef GOOD
        CK(cudaMemcpy(host, m, bytes, cudaMemcpyDeviceToHost));      // the reef after the summer
        CK(cudaMemcpy(m, host, bytes, cudaMemcpyHostToDevice));      // ... goes into the winter
#endif
        erode<<<n / 256, 256>>>(m, n, 0.9f + 0.01f * (y % 20));
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(host, m, bytes, cudaMemcpyDeviceToHost));
    double mass = 0;
    for (int i = 0; i < n; i++) mass += host[i];
    printf("mass %.1f\n", mass);
    bool ok = true;
    for (int i = 3; i < n; i += 400009) {
        float w = startMass(i);
        for (int y = 0; y < years; y++)
            w = erodeCell(growCell(w, 0.6f + 0.004f * (y % 50)), 0.9f + 0.01f * (y % 20));
        ok = ok && close_to(host[i], w, 1e-3);
    }
    CK(cudaFree(m)); CK(cudaFreeHost(host));
    return report(ok);
}
