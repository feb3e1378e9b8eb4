// Streams a large recording through the GPU in blocks.
#include "common.h"
__global__ void equalise(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    for (int k = 0; k < 300; k++) v = v * 0.9995f + 0.0003f * in[i];
    out[i] = v;
}
int main(int argc, char **argv)
{
    int chunks = argc > 1 ? atoi(argv[1]) : 96;
    const int n = 1 << 22, ring = 4;
    float *hin, *hout, *din[ring], *dout[ring];
    CK(cudaMallocHost(&hin, ring * n * 4ul)); CK(cudaMallocHost(&hout, ring * n * 4ul));
    for (int i = 0; i < ring * n; i++) hin[i] = i % 100;
    cudaStream_t st[ring];
    for (int r = 0; r < ring; r++) {
        CK(cudaMalloc(&din[r], n * 4ul)); CK(cudaMalloc(&dout[r], n * 4ul));
        CK(cudaStreamCreateWithFlags(&st[r], cudaStreamNonBlocking));
    }
    for (int c = 0; c < chunks; c++) {
#ifndef GOOD
        int r = 0;
#else
        int r = c % ring;
#endif
        size_t at = (size_t)(c % ring) * n;
        CK(cudaMemcpyAsync(din[r], hin + at, n * 4ul, cudaMemcpyHostToDevice, st[r]));
        equalise<<<n / 256, 256, 0, st[r]>>>(din[r], dout[r], n);
        CK(cudaMemcpyAsync(hout + at, dout[r], n * 4ul, cudaMemcpyDeviceToHost, st[r]));
    }
    CK(cudaDeviceSynchronize());
    printf("%.2f\n", hout[99]);
    return report(hout[99] > 80 && hout[99] < 100 && hout[0] == 0);
}
