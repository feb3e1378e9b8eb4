// A server that works off small jobs on eight streams: each fits a curve to its own data
// and needs some memory to do so.
//   jobpool [jobs]
#include "common.h"

const int STREAMS = 8, POINTS = 16384, ROUNDS = 24;

__host__ __device__ inline float measured(int job, int i) { return (job % 13 + 1) * 0.1f + (job % 7) * 0.02f * (i % 256) / 256; }

__global__ void load(float *y, int job)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < POINTS; i += gridDim.x * blockDim.x) y[i] = measured(job, i);
}

// Gradient descent on a + b x; each block on its part of the points, later averaged.
__global__ void fit(const float *y, float2 *part)
{
    __shared__ float sa[8], sb[8];
    float a = 0, b = 0;
    int n = POINTS / gridDim.x, first = blockIdx.x * n;
    for (int it = 0; it < 40 * ROUNDS; it++) {
        float ga = 0, gb = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            float x = ((first + i) % 256) / 256.0f, e = a + b * x - y[first + i];
            ga += e;
            gb += e * x;
        }
        for (int d = 16; d > 0; d /= 2) {
            ga += __shfl_xor_sync(~0u, ga, d);
            gb += __shfl_xor_sync(~0u, gb, d);
        }
        if (threadIdx.x % 32 == 0) {
            sa[threadIdx.x / 32] = ga;
            sb[threadIdx.x / 32] = gb;
        }
        __syncthreads();
        ga = gb = 0;
        for (int w = 0; w < (int)blockDim.x / 32; w++) {
            ga += sa[w];
            gb += sb[w];
        }
        __syncthreads();
        a -= 0.9f * ga / n;
        b -= 0.9f * gb / n;
    }
    if (threadIdx.x == 0) part[blockIdx.x] = make_float2(a, b);
}

__global__ void average(const float2 *part, int parts, float2 *result)
{
    float2 s = make_float2(0, 0);
    for (int i = 0; i < parts; i++) {
        s.x += part[i].x / parts;
        s.y += part[i].y / parts;
    }
    *result = s;
}

int main(int argc, char **argv)
{
    int jobs = argc > 1 ? atoi(argv[1]) : 400, blocks = 16;
    cudaStream_t stream[STREAMS];
    for (auto &s : stream) CK(cudaStreamCreate(&s));
    float2 *results;
    CK(cudaMalloc(&results, jobs * sizeof(float2)));
#ifdef GOOD
    // Freed memory stays with the pool.
    cudaMemPool_t pool;
    unsigned long long keep = 1ull << 30;
    CK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
#endif
    for (int j = 0; j < jobs; j++) {
        cudaStream_t s = stream[j % STREAMS];
        float *y;
        float2 *part;
#ifndef GOOD
        CK(cudaMalloc(&y, POINTS * sizeof(float)));
        CK(cudaMalloc(&part, blocks * sizeof(float2)));
#else
        CK(cudaMallocAsync(&y, POINTS * sizeof(float), s));
        CK(cudaMallocAsync(&part, blocks * sizeof(float2), s));
#endif
        load<<<16, 256, 0, s>>>(y, j);
        fit<<<blocks, 256, 0, s>>>(y, part);
        average<<<1, 1, 0, s>>>(part, blocks, results + j);
        CK(cudaGetLastError());
#ifndef GOOD
        CK(cudaFree(y));
        CK(cudaFree(part));
#else
        CK(cudaFreeAsync(y, s));
        CK(cudaFreeAsync(part, s));
#endif
    }
    CK(cudaDeviceSynchronize());
    std::vector<float2> h(jobs);
    CK(cudaMemcpy(h.data(), results, jobs * sizeof(float2), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int j = 0; j < jobs; j++)
        ok = ok && fabsf(h[j].x - (j % 13 + 1) * 0.1f) < 2e-3f && fabsf(h[j].y - (j % 7) * 0.02f) < 4e-3f;
    printf("job 1: %.4f + %.4f x\n", h[jobs > 1].x, h[jobs > 1].y);
    return report(ok);
}
