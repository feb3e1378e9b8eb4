// Calibration of a digitiser: each sample through an inverse characteristic of 16384 points,
// linearly interpolated; every block keeps the table in shared memory.
//   adc_calib [records]
#include "common.h"

const int POINTS = 16384;
#ifndef GOOD
const int THREADS = 128, BLOCKS_PER_SM = 3;
#else
const int THREADS = 1024, BLOCKS_PER_SM = 2;
#endif

__global__ void characteristic(float *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (float)i / POINTS;
    if (i < POINTS) table[i] = x + 0.02f * sinf(20 * x) + 0.001f * sinf(700 * x);
}

__global__ void digitise(float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 0.5f + 0.45f * __sinf(6.2831853f * (i % 4000000) / 4000000.0f);
}

__device__ __forceinline__ float look_up(const float *t, float x)
{
    float v = fminf(fmaxf(x, 0.0f), 0.9999f) * (POINTS - 1);
    int k = (int)v;
    float f = v - k, a = t[k], b = t[k + 1];
    return a + f * (b - a);
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) calibrate(const float4 *__restrict__ raw, float4 *__restrict__ out, int quads,
                                                                    const float *__restrict__ table, float gain)
{
    extern __shared__ float t[];
#pragma unroll 8
    for (int k = 0; k < POINTS / THREADS; k++) t[k * THREADS + threadIdx.x] = table[k * THREADS + threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < quads; i += gridDim.x * THREADS) {
        float4 x = raw[i];
        out[i] = make_float4(gain * look_up(t, x.x), gain * look_up(t, x.y), gain * look_up(t, x.z), gain * look_up(t, x.w));
    }
}

int main(int argc, char **argv)
{
    int records = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 1 << 27;
    float *raw, *out, *table;
    int sms;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CK(cudaMalloc(&raw, n * sizeof(float)));
    CK(cudaMalloc(&out, n * sizeof(float)));
    CK(cudaMalloc(&table, POINTS * sizeof(float)));
    CK(cudaFuncSetAttribute(calibrate, cudaFuncAttributeMaxDynamicSharedMemorySize, POINTS * sizeof(float)));
    characteristic<<<POINTS / 256, 256>>>(table);
    digitise<<<sms * 8, 256>>>(raw, n);
    CK(cudaGetLastError());
    for (int r = 0; r < records; r++) {
        calibrate<<<sms * BLOCKS_PER_SM, THREADS, POINTS * sizeof(float)>>>((const float4 *)raw, (float4 *)out, n / 4, table, 1 + 0.001f * r);
        CK(cudaGetLastError());
    }
    std::vector<float> h(1 << 22);
    CK(cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    printf("mean %.4f\n", sum / h.size());
    return report(sum > 0);
}
