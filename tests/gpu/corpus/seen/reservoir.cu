// Echo state network: x <- tanh(W x + u w_in), a dense reservoir of 8192 units.
//   reservoir [steps]
#include "common.h"

__device__ unsigned mix(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}

__global__ void weights(float *w, size_t n, float scale)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        w[i] = scale * ((mix((unsigned)i) >> 8) * (2.0f / 16777216.0f) - 1.0f);
}

#ifndef GOOD
__global__ void advance(const float *__restrict__ w, const float *__restrict__ win, const float *__restrict__ x,
                        float *__restrict__ next, int units, float u)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= units) return;
    float sum = 0;
    for (int k = 0; k < units; k++) sum += w[(size_t)row * units + k] * x[k];
    next[row] = tanhf(sum + u * win[row]);
}
#else
__global__ void __launch_bounds__(256, 8) advance(const float *__restrict__ w, const float *__restrict__ win, const float *__restrict__ x,
                        float *__restrict__ next, int units, float u)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= units) return;
    const float4 *wr = (const float4 *)(w + (size_t)row * units), *xv = (const float4 *)x;
    float sum = 0;
#pragma unroll 2
    for (int k = lane; k < units / 4; k += 32) {
        float4 a = wr[k], b = xv[k];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
    if (lane == 0) next[row] = tanhf(sum + u * win[row]);
}
#endif

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 100;
    const int units = 8192;
    float *w, *win, *x, *y;
    CK(cudaMalloc(&w, (size_t)units * units * 4));
    CK(cudaMalloc(&win, units * 4));
    CK(cudaMalloc(&x, units * 4));
    CK(cudaMalloc(&y, units * 4));
    weights<<<2112, 256>>>(w, (size_t)units * units, 0.0165f);
    weights<<<32, 256>>>(win, units, 0.5f);
    CK(cudaGetLastError());
    CK(cudaMemset(x, 0, units * 4));
    for (int t = 0; t < steps; t++) {
        float u = sinf(0.2f * t) + 0.5f * sinf(0.311f * t);
#ifndef GOOD
        advance<<<units / 256, 256>>>(w, win, x, y, units, u);
#else
        advance<<<units / 8, 256>>>(w, win, x, y, units, u);
#endif
        CK(cudaGetLastError());
        std::swap(x, y);
    }
    std::vector<float> h(units);
    CK(cudaMemcpy(h.data(), x, units * 4, cudaMemcpyDeviceToHost));
    double e = 0;
    for (float v : h) e += fabs(v);
    printf("mean activity %.4f\n", e / units);
    return report(e > 0 && e < units);
}
