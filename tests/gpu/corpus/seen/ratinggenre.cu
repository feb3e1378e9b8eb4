// Recommender statistics: recency-weighted number of plays of each genre, from the event log.
#include "common.h"

const int NG = 18;
const int NEV = 32 << 20;
const int THREADS = 256;

__host__ __device__ inline unsigned scramble(unsigned i)
{
    i = i * 747796405u + 2891336453u;
    i ^= i >> 16; i *= 0x7feb352du; i ^= i >> 15; i *= 0x846ca68bu;
    return i ^ (i >> 16);
}
__host__ __device__ inline unsigned char genre_of(unsigned i)
{
    unsigned h = scramble(i);
    return (unsigned char)((h & 3) == 0 ? (h >> 8) % 3 : (h >> 8) % NG);    // a few popular ones
}
__host__ __device__ inline float weight_of(unsigned i) { return 0.25f + (scramble(i ^ 0x55555555u) >> 16) * (0.75f / 65536.0f); }

__global__ void eventlog(unsigned char *genre, float *weight)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    genre[i] = genre_of(i);
    weight[i] = weight_of(i);
}

__global__ void __launch_bounds__(THREADS) tally(const unsigned char *__restrict__ genre, const float *__restrict__ weight, float *__restrict__ total)
{
#ifdef GOOD
    __shared__ float mine[NG][THREADS];              // one column per thread
    for (int g = 0; g < NG; g++) mine[g][threadIdx.x] = 0.0f;
#pragma unroll 4
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < NEV; i += gridDim.x * THREADS)
        mine[genre[i]][threadIdx.x] += weight[i];
    __syncthreads();
    for (int g = threadIdx.x / 32; g < NG; g += THREADS / 32) {
        float s = 0.0f;
        for (int t = threadIdx.x % 32; t < THREADS; t += 32) s += mine[g][t];
        for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
        if (threadIdx.x % 32 == 0) atomicAdd(&total[g], s);
    }
#else
    __shared__ float sum[NG];
    if (threadIdx.x < NG) sum[threadIdx.x] = 0.0f;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < NEV; i += gridDim.x * THREADS)
        atomicAdd(&sum[genre[i]], weight[i]);
    __syncthreads();
    if (threadIdx.x < NG) atomicAdd(&total[threadIdx.x], sum[threadIdx.x]);
#endif
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 120;
    unsigned char *genre;
    float *weight, *total;
    CK(cudaMalloc(&genre, NEV));
    CK(cudaMalloc(&weight, (size_t)NEV * 4));
    CK(cudaMalloc(&total, days * NG * sizeof(float)));
    CK(cudaMemset(total, 0, days * NG * sizeof(float)));
    eventlog<<<NEV / 256, 256>>>(genre, weight);
    CK(cudaGetLastError());
    for (int d = 0; d < days; d++)
        tally<<<132 * 5, THREADS>>>(genre, weight, total + d * NG);
    CK(cudaGetLastError());
    std::vector<float> got(days * NG);
    CK(cudaMemcpy(got.data(), total, got.size() * 4, cudaMemcpyDeviceToHost));
    std::vector<double> want(NG, 0.0);
    for (unsigned i = 0; i < (unsigned)NEV; i++) want[genre_of(i)] += weight_of(i);
    bool ok = true;
    for (int d = 0; d < days; d += std::max(1, days / 5))
        for (int g = 0; g < NG; g++) ok = ok && fabs(got[d * NG + g] - want[g]) <= 2e-3 * want[g];
    CK(cudaFree(genre)); CK(cudaFree(weight)); CK(cudaFree(total));
    return report(ok);
}
