// Sums windows of a signal with CUB.
#include "common.h"
#include <cub/cub.cuh>
__global__ void init(float *x, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) x[i] = i % 2; }
int main(int argc, char **argv)
{
    int windows = argc > 1 ? atoi(argv[1]) : 2000;
    const int len = 1 << 20;
    float *x, *out;
    CK(cudaMalloc(&x, 64ul * len * 4)); CK(cudaMalloc(&out, windows * 4));
    init<<<64ul * len / 256, 256>>>(x, 64ul * len);
    void *tmp = nullptr; size_t size = 0;
#ifdef GOOD
    CK(cub::DeviceReduce::Sum(nullptr, size, x, out, len));
    CK(cudaMalloc(&tmp, size));
#endif
    for (int w = 0; w < windows; w++) {
        const float *in = x + (size_t)(w % 64) * len;
#ifndef GOOD
        CK(cub::DeviceReduce::Sum(nullptr, size, in, out + w, len));
        CK(cudaMalloc(&tmp, size));
        CK(cub::DeviceReduce::Sum(tmp, size, in, out + w, len));
        CK(cudaFree(tmp));
#else
        CK(cub::DeviceReduce::Sum(tmp, size, in, out + w, len));
#endif
    }
    std::vector<float> h(windows);
    CK(cudaMemcpy(h.data(), out, windows * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (float v : h) ok = ok && v == len / 2;
    return report(ok);
}
