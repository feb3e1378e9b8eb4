// Log-softmax over a vocabulary of 128,256 words for a batch of next-token scores.
//   vocab_lsm [rows] [times] [vocabulary]
#include "common.h"

#define THREADS 256

__host__ __device__ inline float logit(unsigned row, unsigned word)
{
    unsigned h = row * 2246822519u + word * 3266489917u;
    h ^= h >> 15; h *= 2654435761u; h ^= h >> 14;
    return (h & 0xffff) * (1.0f / 4096) - 8;
}

__global__ void logits(float *x, int words)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        x[(size_t)blockIdx.y * words + i] = logit(blockIdx.y, i);
}

template <class F> __device__ float over_block(float v, F f)
{
    __shared__ float part[THREADS / 32];
    for (int d = 16; d > 0; d /= 2) v = f(v, __shfl_xor_sync(~0u, v, d));
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int w = 1; w < THREADS / 32; w++) v = f(v, part[w]);
    return v;
}

struct Max { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct Sum { __device__ float operator()(float a, float b) const { return a + b; } };

#ifndef GOOD
__global__ void log_softmax(const float *__restrict__ x, float *__restrict__ y, int words)
{
    const float *row = x + (size_t)blockIdx.x * words;
    float m = -1e30f, s = 0;
    for (int i = threadIdx.x; i < words; i += THREADS) m = fmaxf(m, row[i]);
    m = over_block(m, Max());
    for (int i = threadIdx.x; i < words; i += THREADS) s += __expf(row[i] - m);
    float z = m + logf(over_block(s, Sum()));
    for (int i = threadIdx.x; i < words; i += THREADS) y[(size_t)blockIdx.x * words + i] = row[i] - z;
}
#else
__global__ void partial(const float *__restrict__ x, float2 *__restrict__ part, int words)
{
    const float *row = x + (size_t)blockIdx.y * words;
    int each = (words + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each, last = min(first + each, words);
    float m = -1e30f, s = 0;
    for (int i = first + threadIdx.x; i < last; i += THREADS) m = fmaxf(m, row[i]);
    m = over_block(m, Max());
    for (int i = first + threadIdx.x; i < last; i += THREADS) s += __expf(row[i] - m);
    s = over_block(s, Sum());
    if (threadIdx.x == 0) part[blockIdx.y * gridDim.x + blockIdx.x] = make_float2(m, s);
}

__global__ void normalise(const float *__restrict__ x, const float2 *__restrict__ part, float *__restrict__ y, int words)
{
    float m = -1e30f, s = 0;
    for (int p = 0; p < (int)gridDim.x; p++) m = fmaxf(m, part[blockIdx.y * gridDim.x + p].x);
    for (int p = 0; p < (int)gridDim.x; p++) {
        float2 q = part[blockIdx.y * gridDim.x + p];
        s += q.y * __expf(q.x - m);
    }
    float z = m + logf(s);
    int each = (words + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each, last = min(first + each, words);
    for (int i = first + threadIdx.x; i < last; i += THREADS)
        y[(size_t)blockIdx.y * words + i] = x[(size_t)blockIdx.y * words + i] - z;
}
#endif

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 80, times = argc > 2 ? atoi(argv[2]) : 300, words = argc > 3 ? atoi(argv[3]) : 128256;
    float *x, *y;
    CK(cudaMalloc(&x, (size_t)rows * words * 4));
    CK(cudaMalloc(&y, (size_t)rows * words * 4));
    logits<<<dim3(64, rows), 256>>>(x, words);
#ifdef GOOD
    const int parts = 16;
    float2 *part;
    CK(cudaMalloc(&part, rows * parts * sizeof(float2)));
#endif
    for (int t = 0; t < times; t++) {
#ifndef GOOD
        log_softmax<<<rows, THREADS>>>(x, y, words);
#else
        partial<<<dim3(parts, rows), THREADS>>>(x, part, words);
        normalise<<<dim3(parts, rows), THREADS>>>(x, part, y, words);
#endif
    }
    CK(cudaGetLastError());
    std::vector<float> h((size_t)rows * words);
    CK(cudaMemcpy(h.data(), y, h.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 0; r < rows; r += rows / 8 + 1) {
        double sum = 0;
        for (int i = 0; i < words; i++) sum += exp(h[(size_t)r * words + i]);
        ok = ok && fabs(sum - 1) < 1e-3;
        double d = h[(size_t)r * words + 5] - h[(size_t)r * words + 6];
        ok = ok && fabs(d - (logit(r, 5) - logit(r, 6))) < 1e-4;
    }
    printf("log p of the first word %.4f\n", h[0]);
    return report(ok);
}
