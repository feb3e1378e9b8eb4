// The 16 nearest of each query's candidates, by insertion into a sorted list.
//   topk16 [log2 of the queries] [candidates]
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <vector>
#include <algorithm>
#include "cuda_runtime.h"

#define cudaSafe(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

template <int K> class NearestList {
    float best[K];
public:
    __device__ NearestList()
    {
#pragma unroll
        for (int i = 0; i < K; i++) best[i] = FLT_MAX;
    }
    __device__ void insert(float d)
    {
#ifndef GOOD
        if (d >= best[K - 1]) return;
        int pos = K - 1;
        while (pos > 0 && best[pos - 1] > d) {
            best[pos] = best[pos - 1];
            pos--;
        }
        best[pos] = d;
#else
#pragma unroll
        for (int i = 0; i < K; i++) {
            float low = fminf(best[i], d);
            d = fmaxf(best[i], d);
            best[i] = low;
        }
#endif
    }
    __device__ void store(float *out, size_t stride) const
    {
#pragma unroll
        for (int i = 0; i < K; i++) out[i * stride] = best[i];
    }
};

__host__ __device__ inline float dist(unsigned query, unsigned candidate)
{
    unsigned h = query * 668265263u + candidate * 374761393u;
    h = (h ^ h >> 13) * 1274126177u;
    h ^= h >> 16;
    return (h >> 8) * (1.0f / 16777216.0f);
}

__global__ void distances(float *d, unsigned queries, unsigned candidates)
{
    unsigned q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q < queries)
        for (unsigned c = blockIdx.y; c < candidates; c += gridDim.y) d[(size_t)c * queries + q] = dist(q, c);
}

__global__ void select16(const float *__restrict__ d, float *__restrict__ out, unsigned queries, unsigned candidates)
{
    unsigned q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries) return;
    NearestList<16> list;
    for (unsigned c = 0; c < candidates; c++) list.insert(d[(size_t)c * queries + q]);
    list.store(out + q, queries);
}

int main(int argc, char *argv[])
{
    unsigned queries = 1u << (argc > 1 ? atoi(argv[1]) : 21), candidates = argc > 2 ? atoi(argv[2]) : 160;
    float *d, *out;
    cudaSafe(cudaMalloc((void **)&d, (size_t)queries * candidates * sizeof(float)));
    cudaSafe(cudaMalloc((void **)&out, (size_t)queries * 16 * sizeof(float)));
    distances<<<dim3((queries + 255) / 256, 8), 256>>>(d, queries, candidates);
    cudaSafe(cudaPeekAtLastError());
    select16<<<(queries + 127) / 128, 128>>>(d, out, queries, candidates);
    cudaSafe(cudaPeekAtLastError());
    std::vector<float> h((size_t)queries * 16), ref(candidates);
    cudaSafe(cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int errors = 0;
    for (unsigned q = 0; q < queries; q += queries / 500 + 1) {
        for (unsigned c = 0; c < candidates; c++) ref[c] = dist(q, c);
        std::sort(ref.begin(), ref.end());
        for (int k = 0; k < 16; k++) errors += ref[k] != h[(size_t)k * queries + q];
    }
    printf("nearest of query 0 at %f; %d errors\n", h[0], errors);
    return errors == 0 ? 0 : 1;
}
