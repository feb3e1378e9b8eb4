// Sky background of a deep-field mosaic: sum and sum of squares of all pixels.
#include "common.h"

#ifdef GOOD
typedef float acc_t;         // sums of a thread in single precision
#else
typedef double acc_t;
#endif

__host__ __device__ static inline float pixel(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return 0.5f + (h & 4095) * (1.0f / 4096.0f);
}
__global__ void expose(float4 *p, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) p[i] = make_float4(pixel(4 * i), pixel(4 * i + 1), pixel(4 * i + 2), pixel(4 * i + 3));
}

__device__ double blockSum(double v, double *s)
{
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.0;
    if (threadIdx.x < 32)
        for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__global__ void background(const float4 *__restrict__ p, double *sum, unsigned n4)
{
    __shared__ double sa[32], sb[32];
    acc_t a = 0, b = 0;
    unsigned stride = gridDim.x * blockDim.x;
#pragma unroll 4
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += stride) {
        float4 v = p[i];
        acc_t s = (acc_t)v.x + (acc_t)v.y + (acc_t)v.z + (acc_t)v.w;
        a += s;
        b += (acc_t)(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
    }
    double ta = blockSum(a, sa), tb = blockSum(b, sb);
    if (threadIdx.x == 0) {
        atomicAdd(&sum[0], ta);
        atomicAdd(&sum[1], tb);
    }
}

int main(int argc, char **argv)
{
    int mosaics = argc > 1 ? atoi(argv[1]) : 120;
    const unsigned n4 = 1u << 26;                 // 1 GiB
    float4 *p;
    double *sum, h[2];
    CK(cudaMalloc(&p, (size_t)n4 * 16));
    CK(cudaMalloc(&sum, 16));
    expose<<<n4 / 256, 256>>>(p, n4);
    for (int m = 0; m < mosaics; m++) {
        CK(cudaMemsetAsync(sum, 0, 16));
        background<<<132 * 8, 256>>>(p, sum, n4);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h, sum, 16, cudaMemcpyDeviceToHost));
    double a = 0, b = 0;
    const unsigned take = 1u << 20;
    for (unsigned i = 0; i < take; i++) {
        double v = pixel(i * 255u);
        a += v;
        b += v * v;
    }
    bool ok = close_to(h[0] / (4.0 * n4), a / take, 0.01) && close_to(h[1] / (4.0 * n4), b / take, 0.01);
    CK(cudaFree(p)); CK(cudaFree(sum));
    return report(ok);
}
