// Quality statistics of a day of sensor readings: extremes, mean, spread, skewness, kurtosis.
//   moments [days]
#include "common.h"

enum What { LOWEST, HIGHEST, SUM, SQUARE, CUBE, FOURTH, COUNT };
const int BLOCKS = 132 * 8, THREADS = 256;

__global__ void readings(float *x, size_t n, unsigned day)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = ((unsigned)i ^ day * 0x9e3779b9u) * 2654435761u;
        h ^= h >> 15; h *= 0x85ebca6bu; h ^= h >> 13;
        float u = (h >> 16) / 65536.0f, v = (h & 0xffff) / 65536.0f;
        x[i] = u + v - 1 + 0.3f * u * u;
    }
}

template <int W> __device__ __forceinline__ float merge(float a, float b)
{
    return W == LOWEST ? fminf(a, b) : W == HIGHEST ? fmaxf(a, b) : a + b;
}
template <int W> __device__ __forceinline__ float start() { return W == LOWEST ? 1e30f : W == HIGHEST ? -1e30f : 0; }
template <int W> __device__ __forceinline__ float term(float x)
{
    return W == SQUARE ? x * x : W == CUBE ? x * x * x : W == FOURTH ? x * x * x * x : x;
}

// The block's result goes to part[W][block].
template <int W> __device__ void finish(float a, float *part)
{
    __shared__ float s[32];
    for (int o = 16; o; o >>= 1) a = merge<W>(a, __shfl_down_sync(~0u, a, o));
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = a;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < THREADS / 32; k++) a = merge<W>(a, s[k]);
        part[W * BLOCKS + blockIdx.x] = a;
    }
}

#ifndef GOOD
template <int W> __global__ void statistic(const float4 *__restrict__ x, size_t quads, float *part)
{
    float a = start<W>();
#pragma unroll 4
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < quads; i += (size_t)BLOCKS * THREADS) {
        float4 v = x[i];
        a = merge<W>(merge<W>(a, merge<W>(term<W>(v.x), term<W>(v.y))), merge<W>(term<W>(v.z), term<W>(v.w)));
    }
    finish<W>(a, part);
}
#else
template <int W> __device__ __forceinline__ void take(float *a, float4 v)
{
    a[W] = merge<W>(merge<W>(a[W], merge<W>(term<W>(v.x), term<W>(v.y))), merge<W>(term<W>(v.z), term<W>(v.w)));
}
__global__ void statistics(const float4 *__restrict__ x, size_t quads, float *part)
{
    float a[COUNT] = {start<LOWEST>(), start<HIGHEST>(), 0, 0, 0, 0};
#pragma unroll 4
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < quads; i += (size_t)BLOCKS * THREADS) {
        float4 v = x[i];
        take<LOWEST>(a, v); take<HIGHEST>(a, v); take<SUM>(a, v);
        take<SQUARE>(a, v); take<CUBE>(a, v); take<FOURTH>(a, v);
    }
    finish<LOWEST>(a[LOWEST], part); finish<HIGHEST>(a[HIGHEST], part); finish<SUM>(a[SUM], part);
    finish<SQUARE>(a[SQUARE], part); finish<CUBE>(a[CUBE], part); finish<FOURTH>(a[FOURTH], part);
}
#endif

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 60;
    const size_t n = (size_t)1 << 28;
    float *x, *part;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&part, days * COUNT * BLOCKS * sizeof(float)));
    readings<<<BLOCKS, THREADS>>>(x, n, 1);
    CK(cudaGetLastError());
    for (int d = 0; d < days; d++) {
        const float4 *q = (const float4 *)(x + (size_t)(d % 4) * 64);       // the window moves on
        size_t quads = n / 4 - 64;
        float *p = part + (size_t)d * COUNT * BLOCKS;
#ifndef GOOD
        statistic<LOWEST><<<BLOCKS, THREADS>>>(q, quads, p);
        statistic<HIGHEST><<<BLOCKS, THREADS>>>(q, quads, p);
        statistic<SUM><<<BLOCKS, THREADS>>>(q, quads, p);
        statistic<SQUARE><<<BLOCKS, THREADS>>>(q, quads, p);
        statistic<CUBE><<<BLOCKS, THREADS>>>(q, quads, p);
        statistic<FOURTH><<<BLOCKS, THREADS>>>(q, quads, p);
#else
        statistics<<<BLOCKS, THREADS>>>(q, quads, p);
#endif
        CK(cudaGetLastError());
    }
    std::vector<float> h(COUNT * BLOCKS);
    CK(cudaMemcpy(h.data(), part + (size_t)(days - 1) * COUNT * BLOCKS, h.size() * 4, cudaMemcpyDeviceToHost));
    double lo = 1e30, hi = -1e30, m[COUNT] = {};
    for (int b = 0; b < BLOCKS; b++) {
        lo = std::min<double>(lo, h[b]);
        hi = std::max<double>(hi, h[BLOCKS + b]);
        for (int w = SUM; w < COUNT; w++) m[w] += h[w * BLOCKS + b];
    }
    for (int w = SUM; w < COUNT; w++) m[w] /= n - 256;
    printf("from %.3f to %.3f, mean %.4f, mean square %.4f, cube %.4f, fourth %.4f\n", lo, hi, m[SUM], m[SQUARE], m[CUBE], m[FOURTH]);
    return report(lo < hi && m[SQUARE] > 0);
}
