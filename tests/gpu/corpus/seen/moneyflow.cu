// Money-flow index of 262144 instruments over 256 trading days: each thread walks
// through the history of one instrument with exponentially smoothed in- and outflow.
#include "common.h"

constexpr int INSTR = 262144, DAYS = 256;

__host__ __device__ inline size_t at(int instr, int day)
{
#ifdef GOOD
    return (size_t)day * INSTR + instr;
#else
    return (size_t)instr * DAYS + day;
#endif
}

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline float price_of(int i, int d) { return 20.0f + (mix((unsigned)i * DAYS + d) >> 20) * 0.01f; }
__host__ __device__ inline float volume_of(int i, int d) { return 1.0f + (mix(((unsigned)i * DAYS + d) ^ 0x3c3c3c3cu) >> 22) * 0.1f; }

__global__ void load_history(float *price, float *volume)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, d = blockIdx.y;
    price[at(i, d)] = price_of(i, d);
    volume[at(i, d)] = volume_of(i, d);
}

__global__ void flow_index(const float *price, const float *volume, float *mfi, float alpha)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float in = 0, outf = 0, last = price[at(i, 0)];
#pragma unroll 4
    for (int d = 1; d < DAYS; d++) {
        float p = price[at(i, d)], f = p * volume[at(i, d)];
        in += alpha * ((p > last ? f : 0.0f) - in);
        outf += alpha * ((p < last ? f : 0.0f) - outf);
        last = p;
    }
    mfi[i] = 100.0f * in / (in + outf);
}

int main(int argc, char **argv)
{
    int sets = argc > 1 ? atoi(argv[1]) : 200;
    const size_t n = (size_t)INSTR * DAYS;
    float *price, *volume, *mfi;
    CK(cudaMalloc(&price, n * sizeof(float)));
    CK(cudaMalloc(&volume, n * sizeof(float)));
    CK(cudaMalloc(&mfi, INSTR * sizeof(float)));
    load_history<<<dim3(INSTR / 256, DAYS), 256>>>(price, volume);
    CK(cudaGetLastError());
    float alpha = 0;
    for (int s = 0; s < sets; s++) {
        alpha = 2.0f / (9.0f + s % 20);
        flow_index<<<INSTR / 256, 256>>>(price, volume, mfi, alpha);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 20; q++) {
        int i = (q * 13007 + 5) % INSTR;
        double in = 0, outf = 0;
        for (int d = 1; d < DAYS; d++) {
            float p = price_of(i, d), l = price_of(i, d - 1);
            double f = (double)p * volume_of(i, d);
            in += alpha * ((p > l ? f : 0.0) - in);
            outf += alpha * ((p < l ? f : 0.0) - outf);
        }
        float got;
        CK(cudaMemcpy(&got, mfi + i, sizeof got, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, 100.0 * in / (in + outf), 1e-3);
    }
    CK(cudaFree(price)); CK(cudaFree(volume)); CK(cudaFree(mfi));
    return report(ok);
}
