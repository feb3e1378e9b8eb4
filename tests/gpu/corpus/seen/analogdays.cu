// Analogue forecasting: the mean of fifteen weather predictors over the forty past days most like today.
//   analogdays [forecasts]
#include "common.h"

constexpr int PREDICTORS = 15, ANALOGUES = 40;
#ifdef GOOD
constexpr int PITCH = 16;
#else
constexpr int PITCH = PREDICTORS;
#endif

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline float predictor(unsigned day, int p) { return (scramble(day * 16u + p) & 0xffff) * (1.0f / 65536); }
__host__ __device__ inline unsigned analogue(unsigned query, unsigned k, unsigned days)
{
    return (unsigned)(((unsigned long long)scramble(query * 64u + k) * days) >> 32);
}

__global__ void archive(float *table, unsigned days)
{
    for (unsigned d = blockIdx.x * blockDim.x + threadIdx.x; d < days; d += gridDim.x * blockDim.x)
        for (int p = 0; p < PREDICTORS; p++) table[(size_t)d * PITCH + p] = predictor(d, p);
}

__global__ void forecast(const float *__restrict__ table, unsigned days, float *__restrict__ mean, int queries, unsigned shift)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, q = t >> 4, p = t & 15;
    if (q >= queries || p >= PREDICTORS) return;
    float sum = 0;
#pragma unroll 10
    for (int k = 0; k < ANALOGUES; k++) {
        unsigned d = analogue(q + shift, k, days);
        sum += table[(size_t)d * PITCH + p];
    }
    mean[(size_t)q * PREDICTORS + p] = sum * (1.0f / ANALOGUES);
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 4000;
    const unsigned days = 41000000;
    const int queries = 200300;
    float *table, *mean;
    CK(cudaMalloc(&table, (size_t)days * PITCH * sizeof(float)));
    CK(cudaMalloc(&mean, (size_t)queries * PREDICTORS * sizeof(float)));
    archive<<<132 * 8, 256>>>(table, days);
    CK(cudaGetLastError());
    unsigned shift = 0;
    for (int r = 0; r < runs; r++) {
        shift = r * 977u;
        forecast<<<(queries * 16 + 255) / 256, 256>>>(table, days, mean, queries, shift);
    }
    CK(cudaGetLastError());
    std::vector<float> h((size_t)queries * PREDICTORS);
    CK(cudaMemcpy(h.data(), mean, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int q = 3; q < queries; q += 9973)
        for (int p = 0; p < PREDICTORS; p++) {
            double s = 0;
            for (int k = 0; k < ANALOGUES; k++) s += predictor(analogue(q + shift, k, days), p);
            ok = ok && close_to(h[(size_t)q * PREDICTORS + p], s / ANALOGUES, 1e-4);
        }
    CK(cudaFree(table)); CK(cudaFree(mean));
    return report(ok);
}
