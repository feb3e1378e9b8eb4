// Boundary elements: four integrals of each element (single layer, double layer, source,
// thermal), each with its own quadrature.
//   quad4 [loads]
#include "common.h"

const int POINTS = 48;

__device__ float single_layer(float a, float b)
{
    float s = 0;
#pragma unroll 8
    for (int k = 0; k < POINTS; k++) {
        float x = (k + 0.5f) * (1.0f / POINTS), d = (x - a) * (x - a) + b * b;
        s += rsqrtf(d) * (1 - x) + 0.25f * x * d;
    }
    return s / POINTS;
}
__device__ float double_layer(float a, float b)
{
    float s = 0;
#pragma unroll 8
    for (int k = 0; k < POINTS; k++) {
        float x = (k + 0.5f) * (1.0f / POINTS) - a;
        s += __fdividef(b * x, x * x + b * b + 0.01f) * (0.5f + x);
    }
    return s / POINTS;
}
__device__ float source(float a, float b)
{
    float s = 0, x = a;
#pragma unroll 8
    for (int k = 0; k < POINTS; k++) {
        x = 0.5f * x + 0.1f * __sinf(3 * x + b) + 0.05f;
        s += x * x;
    }
    return s / POINTS;
}
__device__ float thermal(float a, float b)
{
    float s = 0;
#pragma unroll 8
    for (int k = 0; k < POINTS; k++) {
        float t = (k + 0.5f) * (1.0f / POINTS);
        s += __expf(-a * t) * (t - b) * (t - b);
    }
    return s / POINTS;
}

__global__ void elements(float2 *e, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) e[i] = make_float2(0.1f + 0.8f * ((i * 40503u) & 0xffff) / 65536, 0.1f + 0.5f * ((i * 9973u) & 0xfff) / 4096);
}

// out[term][element]
__global__ void integrate(const float2 *__restrict__ element, int n, float load, float *__restrict__ out)
{
#ifndef GOOD
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int term = t % 4, e = t / 4;                   // four neighbouring threads share an element
#else
    int warp = threadIdx.x / 32;                   // a warp has one term, four warps share 32 elements
    int term = warp % 4, e = blockIdx.x * (blockDim.x / 4) + warp / 4 * 32 + threadIdx.x % 32;
#endif
    if (e >= n) return;
    float2 p = element[e];
    float r;
    switch (term) {
    case 0: r = single_layer(p.x, p.y + load); break;
    case 1: r = double_layer(p.x, p.y + load); break;
    case 2: r = source(p.x, p.y + load); break;
    default: r = thermal(p.x + load, p.y); break;
    }
    out[(size_t)term * n + e] = r;
}

int main(int argc, char **argv)
{
    int loads = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 1 << 21;
    float2 *e;
    float *out;
    CK(cudaMalloc(&e, n * sizeof(float2)));
    CK(cudaMalloc(&out, (size_t)4 * n * sizeof(float)));
    elements<<<n / 256, 256>>>(e, n);
    CK(cudaGetLastError());
    for (int k = 0; k < loads; k++) {
        integrate<<<n * 4 / 256, 256>>>(e, n, 0.01f * (k % 10), out);
        CK(cudaGetLastError());
    }
    std::vector<float> h(n);
    for (int t = 0; t < 4; t++) {
        CK(cudaMemcpy(h.data(), out + (size_t)t * n, n * sizeof(float), cudaMemcpyDeviceToHost));
        double s = 0;
        for (float x : h) s += x;
        printf("term %d: %.5f\n", t, s / n);
    }
    return report(std::isfinite(h[0]));
}
