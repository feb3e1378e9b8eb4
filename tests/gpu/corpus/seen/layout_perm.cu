// NCHW to NHWC.
#include "common.h"
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = i % 4093; }
#ifndef GOOD
__global__ void nchw_to_nhwc(const float *in, float *out, int N, int C, int HW)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y, n = blockIdx.z;
    if (p < HW) out[((size_t)n * HW + p) * C + c] = in[((size_t)n * C + c) * HW + p];
}
#else
__global__ void nchw_to_nhwc(const float *in, float *out, int N, int C, int HW)
{
    __shared__ float t[32][33];
    int p0 = blockIdx.x * 32, c0 = blockIdx.y * 32, n = blockIdx.z;
    for (int k = threadIdx.y; k < 32; k += 8) if (p0 + threadIdx.x < HW) t[k][threadIdx.x] = in[((size_t)n * C + c0 + k) * HW + p0 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) if (p0 + k < HW) out[((size_t)n * HW + p0 + k) * C + c0 + threadIdx.x] = t[threadIdx.x][k];
}
#endif
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 30;
    const int N = 64, C = 256, HW = 112 * 112;
    size_t n = (size_t)N * C * HW;
    float *a, *b;
    CK(cudaMalloc(&a, n * 4)); CK(cudaMalloc(&b, n * 4));
    init<<<(n + 255) / 256, 256>>>(a, n);
    for (int r = 0; r < reps; r++)
#ifndef GOOD
        nchw_to_nhwc<<<dim3((HW + 255) / 256, C, N), 256>>>(a, b, N, C, HW);
#else
        nchw_to_nhwc<<<dim3((HW + 31) / 32, C / 32, N), dim3(32, 8)>>>(a, b, N, C, HW);
#endif
    std::vector<float> h(C);
    CK(cudaMemcpy(h.data(), b + (size_t)(2 * HW + 77) * C, C * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c = 0; c < C; c++) ok = ok && h[c] == (float)((((size_t)2 * C + c) * HW + 77) % 4093);
    return report(ok);
}
