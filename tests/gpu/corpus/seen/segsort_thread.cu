// Sorts the 64 distances of every query point.
#include "common.h"
#define K 64
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = ((unsigned)i * 2654435761u >> 8) * 1e-6f; }
__global__ void sort_segments(float *a, int segs)
{
#ifndef GOOD
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segs) return;
    float *x = a + (size_t)s * K;
    for (int i = 1; i < K; i++) {
        float v = x[i];
        int j = i;
        while (j > 0 && x[j - 1] > v) { x[j] = x[j - 1]; j--; }
        x[j] = v;
    }
#else
    // 32 threads a segment, bitonic in shared memory.
    __shared__ float sh[8][K];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, s = blockIdx.x * 8 + w;
    if (s >= segs) return;
    float *x = sh[w], *g = a + (size_t)s * K;
    x[lane] = g[lane]; x[lane + 32] = g[lane + 32];
    for (int k = 2; k <= K; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncwarp();
            int i = 2 * lane - (lane & (j - 1));
            float p = x[i], q = x[i + j];
            if ((p > q) == ((i & k) == 0)) { x[i] = q; x[i + j] = p; }
        }
    __syncwarp();
    g[lane] = x[lane]; g[lane + 32] = x[lane + 32];
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int segs = 1 << 20;
    float *a;
    CK(cudaMalloc(&a, (size_t)segs * K * 4));
    for (int r = 0; r < reps; r++) {
        init<<<segs * K / 256, 256>>>(a, (size_t)segs * K);
#ifndef GOOD
        sort_segments<<<segs / 256, 256>>>(a, segs);
#else
        sort_segments<<<segs / 8, 256>>>(a, segs);
#endif
    }
    std::vector<float> h(K * 1000);
    CK(cudaMemcpy(h.data(), a, h.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (size_t i = 1; i < h.size(); i++) ok = ok && (i % K == 0 || h[i - 1] <= h[i]);
    return report(ok);
}
