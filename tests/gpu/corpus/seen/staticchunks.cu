// PageRank by pulling over a graph whose vertices are numbered by falling degree. A fixed number of blocks divides
// the vertices among its warps; each warp sums over the neighbours of one vertex at a time.
#include "common.h"

#define THREADS 256

static int degree(int v) { return 6 + (int)(3600.0f / powf(v + 50.0f, 0.4f)); }
__host__ __device__ static inline unsigned neighbour(unsigned e, unsigned n)
{
    unsigned h = e * 0x9E3779B1u; h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    return (unsigned)(((unsigned long long)h * n) >> 32);
}

__global__ void wire(unsigned *nb, unsigned edges, unsigned n)
{
    for (unsigned e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x)
        nb[e] = neighbour(e, n);
}

__global__ void level(float *rank, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) rank[v] = 1.0f + (v % 8) * 0.25f;
}

__global__ void pull(const unsigned *__restrict__ first, const unsigned *__restrict__ nb, const float *__restrict__ rank,
                     float *__restrict__ next, int n)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, wpb = blockDim.x / 32;
#ifdef GOOD
    int v = warp * gridDim.x + blockIdx.x, step = wpb * gridDim.x, end = n;         // dealt out like cards
#else
    int chunk = (n + gridDim.x - 1) / gridDim.x;
    int v = blockIdx.x * chunk + warp, step = wpb, end = min(n, (int)(blockIdx.x + 1) * chunk);
#endif
    for (; v < end; v += step) {
        unsigned a = first[v], b = first[v + 1];
        float s = 0;
        for (unsigned e = a + lane; e < b; e += 32) s += rank[nb[e]];
        for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
        if (lane == 0) next[v] = 0.15f + 0.85f * s / (float)(b - a);
    }
}

int main(int argc, char **argv)
{
    int its = argc > 1 ? atoi(argv[1]) : 200;
    const int n = argc > 2 ? atoi(argv[2]) : 1 << 20;
    std::vector<unsigned> first(n + 1);
    for (int v = 0; v < n; v++) first[v + 1] = first[v] + degree(v);
    const unsigned edges = first[n];
    unsigned *df, *nb;
    float *rank, *next;
    CK(cudaMalloc(&df, (n + 1) * sizeof(unsigned)));
    CK(cudaMalloc(&nb, (size_t)edges * sizeof(unsigned)));
    CK(cudaMalloc(&rank, n * sizeof(float)));
    CK(cudaMalloc(&next, n * sizeof(float)));
    CK(cudaMemcpy(df, first.data(), (n + 1) * sizeof(unsigned), cudaMemcpyHostToDevice));
    wire<<<2048, 256>>>(nb, edges, n);
    level<<<(n + 255) / 256, 256>>>(rank, n);
    CK(cudaGetLastError());
    int sms = 1;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));

    std::vector<float> h(n);
    bool ok = true;
    for (int it = 0; it < its; it++) {
        pull<<<sms * 8, THREADS>>>(df, nb, rank, next, n);
        CK(cudaGetLastError());
        if (it == 0) {
            CK(cudaMemcpy(h.data(), next, n * sizeof(float), cudaMemcpyDeviceToHost));
            for (int v = 0; v < n; v += 1 + n / 1500) {
                double s = 0;
                for (unsigned e = first[v]; e < first[v + 1]; e++) s += 1.0 + (neighbour(e, n) % 8) * 0.25;
                if (!close_to(h[v], 0.15 + 0.85 * s / degree(v), 1e-4)) ok = false;
            }
        }
        std::swap(rank, next);
    }
    CK(cudaMemcpy(h.data(), rank, n * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int v = 0; v < n; v++) { sum += h[v]; if (!(h[v] > 0.9f && h[v] < 2.8f)) ok = false; }
    printf("%u edges, mean rank %.5f\n", edges, sum / n);
    CK(cudaFree(df)); CK(cudaFree(nb)); CK(cudaFree(rank)); CK(cudaFree(next));
    return report(ok);
}
