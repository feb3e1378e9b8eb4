// Drawdown of trading days: for every tick of a day, how far the price stands below the highest price
// of the day so far. One block handles one day of 4096 ticks: the day is brought to shared memory,
// each thread walks over 32 ticks in a row, the peaks of the threads are scanned, and the day goes back.
#include "common.h"

static const int TICKS = 4096, THREADS = 128, EACH = TICKS / THREADS;
static const int DAYS = 32768;

#ifdef GOOD
__device__ inline int slot(int i) { return i + i / EACH; }
#else
__device__ inline int slot(int i) { return i; }
#endif

__host__ __device__ inline float price(unsigned day, unsigned tick)
{
    unsigned h = day * 0x9E3779B1u + tick * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    return 100.0f + 0.01f * (float)((tick * (day % 13)) >> 5) + (h & 1023) * 0.001f;
}

__global__ void market(float *p)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    p[(size_t)blockIdx.y * TICKS + t] = price(blockIdx.y, t);
}

__global__ void __launch_bounds__(THREADS) drawdown(const float *__restrict__ p, float *__restrict__ dd)
{
    __shared__ float s[TICKS + THREADS];
    __shared__ float peaks[THREADS / 32];
    const int t = threadIdx.x, lane = t & 31;
    const float *day = p + (size_t)blockIdx.x * TICKS;
    float *out = dd + (size_t)blockIdx.x * TICKS;
#pragma unroll 8
    for (int i = t; i < TICKS; i += THREADS) s[slot(i)] = day[i];
    __syncthreads();

    float top = 0.0f;
#pragma unroll
    for (int k = 0; k < EACH; ++k) top = fmaxf(top, s[slot(t * EACH + k)]);
    float before = top;                         // greatest of the lanes up to and with this one
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float o = __shfl_up_sync(0xffffffffu, before, d);
        if (lane >= d) before = fmaxf(before, o);
    }
    if (lane == 31) peaks[t / 32] = before;
    before = __shfl_up_sync(0xffffffffu, before, 1);
    if (lane == 0) before = 0.0f;
    __syncthreads();
    for (int w = 0; w < t / 32; ++w) before = fmaxf(before, peaks[w]);

#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        float v = s[slot(t * EACH + k)];
        before = fmaxf(before, v);
        s[slot(t * EACH + k)] = before - v;
    }
    __syncthreads();
#pragma unroll 8
    for (int i = t; i < TICKS; i += THREADS) out[i] = s[slot(i)];
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 120;
    float *p, *dd;
    CK(cudaMalloc(&p, sizeof(float) * (size_t)DAYS * TICKS));
    CK(cudaMalloc(&dd, sizeof(float) * (size_t)DAYS * TICKS));
    market<<<dim3(TICKS / 256, DAYS), 256>>>(p);
    CK(cudaGetLastError());
    for (int r = 0; r < repeats; ++r)
        drawdown<<<DAYS, THREADS>>>(p, dd);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> day(TICKS), got(TICKS);
    for (int d : {0, 5, 12345, DAYS - 1}) {
        CK(cudaMemcpy(day.data(), p + (size_t)d * TICKS, sizeof(float) * TICKS, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(got.data(), dd + (size_t)d * TICKS, sizeof(float) * TICKS, cudaMemcpyDeviceToHost));
        float top = 0.0f;
        for (int i = 0; i < TICKS; ++i) {
            ok = ok && fabsf(day[i] - price(d, i)) < 1e-3f;
            top = std::max(top, day[i]);
            ok = ok && got[i] == top - day[i];
        }
    }
    CK(cudaFree(p)); CK(cudaFree(dd));
    return report(ok);
}
