// Tides on a shelf: every tile of 256 cells relaxes its bottom friction; deep tiles need many more rounds than flats.
//   shelftides [cycles]
#include "common.h"

static const int ACROSS = 1056, DOWN = 48, CELLS = 256;

__host__ __device__ static inline float settle(float u, float slope, float drag, int rounds)
{
#ifdef __CUDA_ARCH__
#pragma unroll 4
#endif
    for (int k = 0; k < rounds; k++) {
        float a = fabsf(u);
        u = u + 0.05f * (slope - drag * a * u);
    }
    return u;
}

__host__ __device__ static inline int rounds_of(int tile)
{
    int x = tile % ACROSS, y = tile / ACROSS;
    return x < 40 ? 5600 + 8 * y : 200 + x % 32;
}

__device__ void relax(int tile, const float *u, float *v, float slope)
{
    int i = tile * CELLS + threadIdx.x;
    v[i] = settle(u[i], slope, 0.3f + 0.001f * threadIdx.x, rounds_of(tile));
}

__global__ void __launch_bounds__(CELLS) friction(const float *__restrict__ u, float *__restrict__ v, float slope)
{
#ifdef GOOD
    relax(blockIdx.x, u, v, slope);
#else
    for (int tile = blockIdx.x; tile < ACROSS * DOWN; tile += gridDim.x) relax(tile, u, v, slope);
#endif
}

int main(int argc, char **argv)
{
    int cycles = argc > 1 ? atoi(argv[1]) : 500;
    const int n = ACROSS * DOWN * CELLS;
    std::vector<float> u(n), h(n);
    unsigned seed = 19;
    for (float &x : u) x = 2 * frand(seed) - 1;
    float *a, *b;
    CK(cudaMalloc(&a, n * sizeof(float)));
    CK(cudaMalloc(&b, n * sizeof(float)));
    CK(cudaMemcpy(a, u.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    float slope = 0;
    for (int c = 0; c < cycles; c++) {
        slope = 0.2f + 0.01f * (c % 20);
#ifdef GOOD
        friction<<<ACROSS * DOWN, CELLS>>>(a, b, slope);
#else
        friction<<<132 * 8, CELLS>>>(a, b, slope);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 30011)
        ok = ok && close_to(h[i], settle(u[i], slope, 0.3f + 0.001f * (i % CELLS), rounds_of(i / CELLS)), 1e-3);
    CK(cudaFree(a)); CK(cudaFree(b));
    return report(ok);
}
