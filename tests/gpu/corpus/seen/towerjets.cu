// Calorimeter: transverse energy of the hits of an event, summed by ring (a block has
// one event, eight rings in pseudorapidity).
#include "common.h"

#define RINGS 8
#define HITS 8192
#define TPB 256

__host__ __device__ static inline unsigned mixh(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}

__global__ void makeHits(float2 *hit, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = mixh((unsigned)i + 99u);
    float a = (h & 0xfff) * (1.f / 4096.f), b = (h >> 12 & 0xfff) * (1.f / 4096.f);
    hit[i] = make_float2((a + b) * 0.5f, 0.1f + (h >> 24) * (1.f / 64.f));
}

__global__ void ringSums(const float2 *__restrict__ hit, float *__restrict__ ring)
{
    const float2 *h = hit + (size_t)blockIdx.x * HITS;
#ifdef GOOD
    __shared__ float s[RINGS][TPB];        // a private set of sums per thread
    for (int r = 0; r < RINGS; r++) s[r][threadIdx.x] = 0.f;
    for (int i = threadIdx.x; i < HITS; i += TPB) {
        float2 v = h[i];
        int r = min((int)(v.x * RINGS), RINGS - 1);
        s[r][threadIdx.x] += v.y * (1.f - 0.3f * v.x);
    }
    __syncthreads();
    int w = threadIdx.x >> 5, lane = threadIdx.x & 31;
    float t = 0.f;
    for (int k = lane; k < TPB; k += 32) t += s[w][k];
    for (int o = 16; o; o >>= 1) t += __shfl_xor_sync(0xffffffffu, t, o);
    if (lane == 0) ring[blockIdx.x * RINGS + w] = t;
#else
    __shared__ float s[RINGS];
    if (threadIdx.x < RINGS) s[threadIdx.x] = 0.f;
    __syncthreads();
    for (int i = threadIdx.x; i < HITS; i += TPB) {
        float2 v = h[i];
        int r = min((int)(v.x * RINGS), RINGS - 1);
        atomicAdd(&s[r], v.y * (1.f - 0.3f * v.x));
    }
    __syncthreads();
    if (threadIdx.x < RINGS) ring[blockIdx.x * RINGS + threadIdx.x] = s[threadIdx.x];
#endif
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 100;
    const int events = 12000;
    size_t n = (size_t)events * HITS;
    float2 *hit;
    float *ring;
    CK(cudaMalloc(&hit, n * sizeof(float2)));
    CK(cudaMalloc(&ring, events * RINGS * 4));
    makeHits<<<(unsigned)(n / 256), 256>>>(hit, n);
    for (int r = 0; r < runs; r++) ringSums<<<events, TPB>>>(hit, ring);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float2> e(HITS);
    std::vector<float> out(events * RINGS);
    CK(cudaMemcpy(out.data(), ring, out.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int ev = 7; ev < events; ev += 2999) {
        CK(cudaMemcpy(e.data(), hit + (size_t)ev * HITS, HITS * sizeof(float2), cudaMemcpyDeviceToHost));
        double want[RINGS] = {};
        for (auto &v : e) want[std::min((int)(v.x * RINGS), RINGS - 1)] += v.y * (1.0 - 0.3 * v.x);
        for (int r = 0; r < RINGS; r++) ok = ok && close_to(out[ev * RINGS + r], want[r], 1e-3);
    }
    CK(cudaFree(hit)); CK(cudaFree(ring));
    return report(ok);
}
