// Snow drift on a terrain: a wind-smoothed surface and a slope map are built each hour in
// temporaries, then the snow moves.
#include "common.h"

#define W 4096
#define H 4096

__global__ void fall(float *s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    s[i] = 1.f + (h & 255) * (1.0f / 256.0f);
}
__global__ void smooth(const float *__restrict__ s, float *__restrict__ t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int l = max(x - 1, 0), r = min(x + 1, W - 1), u = max(y - 1, 0), d = min(y + 1, H - 1);
    t[y * W + x] = 0.6f * s[y * W + x] + 0.1f * (s[y * W + l] + s[y * W + r] + s[u * W + x] + s[d * W + x]);
}
__global__ void slope(const float *__restrict__ t, float *__restrict__ g)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int l = max(x - 1, 0), r = min(x + 1, W - 1);
    g[y * W + x] = 0.1f * (t[y * W + r] - t[y * W + l]);
}
__global__ void drift(float *__restrict__ s, const float *__restrict__ g)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float in = x ? g[y * W + x - 1] : 0.f, out = x < W - 1 ? g[y * W + x] : 0.f;
    s[y * W + x] += out - in;          // what leaves a cell enters its neighbour
}

static void hour(float *s, float *t, float *g)
{
    dim3 grid(W / 256, H);
#ifndef GOOD
    size_t bytes = (size_t)W * H * 4;
    CK(cudaMalloc(&t, bytes));
    CK(cudaMalloc(&g, bytes));
#endif
    smooth<<<grid, 256>>>(s, t);
    slope<<<grid, 256>>>(t, g);
    drift<<<grid, 256>>>(s, g);
    CK(cudaGetLastError());
#ifndef GOOD
    CK(cudaFree(t));
    CK(cudaFree(g));
#endif
}

int main(int argc, char **argv)
{
    int hours = argc > 1 ? atoi(argv[1]) : 300;
    size_t n = (size_t)W * H;
    float *s, *t = nullptr, *g = nullptr;
    CK(cudaMalloc(&s, n * 4));
#ifdef GOOD
    CK(cudaMalloc(&t, n * 4));
    CK(cudaMalloc(&g, n * 4));
#endif
    fall<<<(unsigned)(n / 256), 256>>>(s);
    std::vector<float> h(W);
    double rows0 = 0, rows1 = 0;
    for (int y = 0; y < H; y += 512) {
        CK(cudaMemcpy(h.data(), s + (size_t)y * W, W * 4, cudaMemcpyDeviceToHost));
        for (float v : h) rows0 += v;
    }
    for (int k = 0; k < hours; k++) hour(s, t, g);
    CK(cudaDeviceSynchronize());
    bool finite = true;
    for (int y = 0; y < H; y += 512) {
        CK(cudaMemcpy(h.data(), s + (size_t)y * W, W * 4, cudaMemcpyDeviceToHost));
        for (float v : h) { rows1 += v; finite = finite && std::isfinite(v); }
    }
    bool ok = finite && close_to(rows1, rows0, 1e-3);      // a row keeps its snow
    CK(cudaFree(s));
    if (t) CK(cudaFree(t));
    if (g) CK(cudaFree(g));
    return report(ok);
}
