// PageRank on a graph in which some pages are linked to by very many others.
#include "common.h"
__device__ __host__ inline unsigned mix(unsigned x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ x >> 16; }
#ifndef GOOD
__global__ void push(const int *ptr, const int *dst, const float *rank, float *next, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int b = ptr[v], e = ptr[v + 1];
    float share = 0.85f * rank[v] / (e - b);
    for (int k = b; k < e; k++) atomicAdd(&next[dst[k]], share);
}
#else
__global__ void scale(const float *rank, const int *deg, float *share, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) share[v] = 0.85f * rank[v] / deg[v];
}
__global__ void pull(const int *ptr, const int *src, const float *share, float *next, int n)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= n) return;
    float s = 0;
    for (int k = ptr[v] + lane; k < ptr[v + 1]; k += 32) s += share[src[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) next[v] += s;
}
#endif
__global__ void base(float *next, int n) { int v = blockIdx.x * blockDim.x + threadIdx.x; if (v < n) next[v] = 0.15f / n; }
int main(int argc, char **argv)
{
    int iters = argc > 1 ? atoi(argv[1]) : 20;
    const int n = 1 << 20, deg = 16;
    std::vector<int> out((size_t)n * deg), ptr(n + 1), d(n, deg);
    for (size_t i = 0; i < out.size(); i++) {
        unsigned h = mix((unsigned)i);
        out[i] = (h & 1) ? (h >> 1) % 512 : (h >> 1) % n;	// half of the links to 512 pages
    }
#ifdef GOOD
    std::vector<int> in(out.size());
    for (int x : out) ptr[x + 1]++;
    for (int v = 0; v < n; v++) ptr[v + 1] += ptr[v];
    std::vector<int> at(ptr.begin(), ptr.end() - 1);
    for (size_t i = 0; i < out.size(); i++) in[at[out[i]]++] = i / deg;
    out.swap(in);
#else
    for (int v = 0; v <= n; v++) ptr[v] = v * deg;
#endif
    int *dp, *dd, *dg; float *r, *nx, *sh;
    CK(cudaMalloc(&dp, (n + 1) * 4)); CK(cudaMalloc(&dd, out.size() * 4)); CK(cudaMalloc(&dg, n * 4));
    CK(cudaMalloc(&r, n * 4)); CK(cudaMalloc(&nx, n * 4)); CK(cudaMalloc(&sh, n * 4));
    CK(cudaMemcpy(dp, ptr.data(), (n + 1) * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dd, out.data(), out.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dg, d.data(), n * 4, cudaMemcpyHostToDevice));
    std::vector<float> h(n, 1.0f / n);
    CK(cudaMemcpy(r, h.data(), n * 4, cudaMemcpyHostToDevice));
    for (int i = 0; i < iters; i++) {
        base<<<n / 256, 256>>>(nx, n);
#ifndef GOOD
        push<<<n / 256, 256>>>(dp, dd, r, nx, n);
#else
        scale<<<n / 256, 256>>>(r, dg, sh, n);
        pull<<<n / 8, 256>>>(dp, dd, sh, nx, n);
#endif
        std::swap(r, nx);
    }
    CK(cudaMemcpy(h.data(), r, n * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    printf("sum of ranks %.3f\n", sum);
    return report(close_to(sum, 1.0, 1e-2));
}
