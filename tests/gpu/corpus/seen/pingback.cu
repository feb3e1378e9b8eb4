// Edges of a film: gradients, then thinning of the edges. Each stage is a module of its own.
//   pingback [pictures]
#include "common.h"

const int W = 4096, H = 2048, N = W * H;

__global__ void frame(float *p, int number)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % W, y = i / W;
    float dx = x - 2000.0f - 3 * number, dy = y - 1000.0f;
    p[i] = 0.5f + 0.5f * __sinf(0.0001f * (dx * dx + dy * dy) + 0.1f * number);
}

__global__ void gradient_kernel(const float *__restrict__ p, float2 *__restrict__ g)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, i = y * W + x;
    int l = x > 0 ? i - 1 : i, r = x < W - 1 ? i + 1 : i, u = y > 0 ? i - W : i, d = y < H - 1 ? i + W : i;
    g[i] = make_float2(p[r] - p[l], p[d] - p[u]);
}

__global__ void thin_kernel(const float2 *__restrict__ g, unsigned *__restrict__ edges, float threshold)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, i = y * W + x;
    float2 c = g[i];
    bool across = fabsf(c.x) > fabsf(c.y);
    int a = across ? (x > 0 ? i - 1 : i) : (y > 0 ? i - W : i), b = across ? (x < W - 1 ? i + 1 : i) : (y < H - 1 ? i + W : i);
    float2 q = g[a], r = g[b];
    float m = c.x * c.x + c.y * c.y;
    bool edge = m > threshold && m >= q.x * q.x + q.y * q.y && m >= r.x * r.x + r.y * r.y;
    unsigned bits = __ballot_sync(~0u, edge);
    if (threadIdx.x % 32 == 0) edges[i / 32] = bits;
}

struct Gradient {
    float2 *g;
    Gradient() { CK(cudaMalloc(&g, N * sizeof(float2))); }
    void run(const float *p, float2 *result)
    {
        gradient_kernel<<<dim3(W / 256, H), 256>>>(p, g);
        CK(cudaGetLastError());
        if (result) CK(cudaMemcpy(result, g, N * sizeof(float2), cudaMemcpyDeviceToHost));
    }
};

struct Thinning {
    float2 *g;
    unsigned *edges;
    Thinning() { CK(cudaMalloc(&g, N * sizeof(float2))); CK(cudaMalloc(&edges, N / 8)); }
    void run(const float2 *host, const float2 *device)
    {
        if (host) CK(cudaMemcpy(g, host, N * sizeof(float2), cudaMemcpyHostToDevice));
        thin_kernel<<<dim3(W / 256, H), 256>>>(host ? g : device, edges, 1e-4f);
        CK(cudaGetLastError());
    }
};

int main(int argc, char **argv)
{
    int pictures = argc > 1 ? atoi(argv[1]) : 100;
    float *p;
    CK(cudaMalloc(&p, N * sizeof(float)));
    Gradient gradient;
    Thinning thinning;
#ifndef GOOD
    float2 *between;
    CK(cudaMallocHost(&between, N * sizeof(float2)));
#endif
    for (int k = 0; k < pictures; k++) {
        frame<<<N / 256, 256>>>(p, k);
        CK(cudaGetLastError());
#ifndef GOOD
        gradient.run(p, between);
        thinning.run(between, nullptr);
#else
        gradient.run(p, nullptr);
        thinning.run(nullptr, gradient.g);
#endif
    }
    std::vector<unsigned> h(N / 32);
    CK(cudaMemcpy(h.data(), thinning.edges, N / 8, cudaMemcpyDeviceToHost));
    long count = 0;
    for (unsigned b : h) count += __builtin_popcount(b);
    printf("%ld edge pixels\n", count);
    return report(count > 0 && count < N);
}
