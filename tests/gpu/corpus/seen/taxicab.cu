// Similarity self-join: for every feature vector, how many other vectors lie within a given L1 (taxicab) distance.
// 64 features per vector, stored feature-major (feature d of vector m at d*N+m); features are small whole numbers.
#include "common.h"

#define DIMS 64
#define EDGE 64          // vectors per tile edge

__host__ __device__ static inline float feature(unsigned m, unsigned d)
{
    unsigned h = (m / 3) * 0x9E3779B1u + d * 0x85EBCA77u;     // triplets are near-duplicates
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    unsigned g = (m * 31u + d) * 0xC2B2AE3Du;
    g ^= g >> 13; g *= 0x27d4eb2fu; g ^= g >> 16;
    return (float)((h & 31u) + (g & 3u));
}

__global__ void make_features(float *f, int n)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= n) return;
    for (int d = 0; d < DIMS; d++) f[(size_t)d * n + m] = feature(m, d);
}

#ifdef GOOD
// 16x16 threads, 4x4 pairs per thread, tiles of 64 vectors x 64 features in shared memory
__global__ void within(const float *__restrict__ f, int n, float radius, int *hits)
{
    __shared__ float a[DIMS][EDGE], b[DIMS][EDGE];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int i0 = blockIdx.y * EDGE, j0 = blockIdx.x * EDGE;
    for (int k = t; k < DIMS * EDGE; k += 256) {
        int d = k / EDGE, c = k % EDGE;
        a[d][c] = f[(size_t)d * n + i0 + c];
        b[d][c] = f[(size_t)d * n + j0 + c];
    }
    __syncthreads();
    float dist[4][4] = {};
    for (int d = 0; d < DIMS; d++) {
        float x[4], y[4];
#pragma unroll
        for (int q = 0; q < 4; q++) { x[q] = a[d][ty + 16 * q]; y[q] = b[d][tx + 16 * q]; }
#pragma unroll
        for (int p = 0; p < 4; p++)
#pragma unroll
            for (int q = 0; q < 4; q++) dist[p][q] += fabsf(x[p] - y[q]);
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int q = 0; q < 4; q++)
            if (dist[p][q] <= radius) atomicAdd(&hits[i0 + ty + 16 * p], 1);
}
#else
__global__ void within(const float *__restrict__ f, int n, float radius, int *hits)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    float dist = 0;
    for (int d = 0; d < DIMS; d++)
        dist += fabsf(f[(size_t)d * n + i] - f[(size_t)d * n + j]);
    if (dist <= radius) atomicAdd(&hits[i], 1);
}
#endif

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 1;
    const int n = argc > 2 ? atoi(argv[2]) : 49152;      // a multiple of 64
    const float radius = 150;
    float *f;
    int *hits;
    CK(cudaMalloc(&f, (size_t)n * DIMS * 4));
    CK(cudaMalloc(&hits, n * sizeof(int)));
    make_features<<<(n + 255) / 256, 256>>>(f, n);
    CK(cudaGetLastError());
    for (int r = 0; r < runs; r++) {
        CK(cudaMemsetAsync(hits, 0, n * sizeof(int)));
#ifdef GOOD
        within<<<dim3(n / EDGE, n / EDGE), dim3(16, 16)>>>(f, n, radius, hits);
#else
        within<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(f, n, radius, hits);
#endif
        CK(cudaGetLastError());
    }
    std::vector<int> h(n);
    CK(cudaMemcpy(h.data(), hits, n * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 5; i < n; i += n / 5) {
        float mine[DIMS];
        for (int d = 0; d < DIMS; d++) mine[d] = feature(i, d);
        int c = 0;
        for (int j = 0; j < n; j++) {
            float dist = 0;
            for (int d = 0; d < DIMS; d++) dist += fabsf(mine[d] - feature(j, d));
            if (dist <= radius) c++;
        }
        if (c != h[i] || c < 1) { printf("vector %d: %d, expected %d\n", i, h[i], c); ok = false; }
    }
    CK(cudaFree(f));
    CK(cudaFree(hits));
    return report(ok);
}
