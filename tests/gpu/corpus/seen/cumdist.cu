// Cumulative distribution of many weights (for sampling): scan within blocks, scan of the
// blocks' sums, addition.
//   cumdist [log2 of the number] [times]
#include "common.h"

static constexpr int kBlock = 1024, kItems = 4, kTile = kBlock * kItems;

__global__ void weights(float *w, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        w[i] = (float)((unsigned)i * 2246822519u >> 30);
}

// The sum of what the threads before this one have; *total gets that of all.
template <int N> __device__ float before(float value, float *total)
{
    __shared__ float warps[N / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float incl = value;
    for (int d = 1; d < 32; d *= 2) {
        float up = __shfl_up_sync(~0u, incl, d);
        if (lane >= d) incl += up;
    }
    if (lane == 31) warps[warp] = incl;
    __syncthreads();
    float base = 0, all = 0;
    for (int w = 0; w < N / 32; w++) {
        if (w < warp) base += warps[w];
        all += warps[w];
    }
    *total = all;
    return base + incl - value;
}

__global__ void scan_tiles(const float4 *in, float4 *out, float *sums)
{
    size_t i = (size_t)blockIdx.x * kBlock + threadIdx.x;
    float4 v = in[i];
    v.y += v.x; v.z += v.y; v.w += v.z;
    float total, base = before<kBlock>(v.w, &total);
    out[i] = make_float4(v.x + base, v.y + base, v.z + base, v.w + base);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

#ifndef GOOD
__global__ void scan_sums(float *sums, int n)
{
    float run = 0;
    for (int i = 0; i < n; i++) {
        float t = sums[i];
        sums[i] = run;
        run += t;
    }
}
#else
__global__ void __launch_bounds__(1024) scan_sums(float *sums, int n)
{
    float carry = 0;
    for (int first = 0; first < n; first += 1024) {
        int i = first + threadIdx.x;
        float v = i < n ? sums[i] : 0, total, base = before<1024>(v, &total);
        if (i < n) sums[i] = carry + base;
        carry += total;
        __syncthreads();
    }
}
#endif

__global__ void add_base(float4 *out, const float *sums)
{
    size_t i = (size_t)blockIdx.x * kBlock + threadIdx.x;
    float b = sums[blockIdx.x];
    float4 v = out[i];
    out[i] = make_float4(v.x + b, v.y + b, v.z + b, v.w + b);
}

int main(int argc, char **argv)
{
    size_t n = (size_t)1 << (argc > 1 ? atoi(argv[1]) : 26);
    int times = argc > 2 ? atoi(argv[2]) : 20, tiles = n / kTile;
    float *w, *cdf, *sums;
    CK(cudaMalloc(&w, n * 4));
    CK(cudaMalloc(&cdf, n * 4));
    CK(cudaMalloc(&sums, tiles * 4));
    weights<<<1056, 256>>>(w, n);
    for (int t = 0; t < times; t++) {
        scan_tiles<<<tiles, kBlock>>>((float4 *)w, (float4 *)cdf, sums);
#ifndef GOOD
        scan_sums<<<1, 1>>>(sums, tiles);
#else
        scan_sums<<<1, 1024>>>(sums, tiles);
#endif
        add_base<<<tiles, kBlock>>>((float4 *)cdf, sums);
    }
    CK(cudaGetLastError());
    std::vector<float> a(n), b(n);
    CK(cudaMemcpy(a.data(), w, n * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(b.data(), cdf, n * 4, cudaMemcpyDeviceToHost));
    double run = 0;
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        run += a[i];
        if (i % 4099 == 0 || i == n - 1) ok = ok && fabs(run - b[i]) <= 1e-4 * run + 1e-3;
    }
    printf("total weight %.0f\n", run);
    return report(ok);
}
