// A deep stack of dense layers in FP32 with cuBLAS.
#include "common.h"
#include <cublas_v2.h>
__global__ void init(float *a, size_t n, float f) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = ((i * 2654435761u >> 16 & 255) - 127.5f) * f; }
int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 20;
    const int d = 4096, batch = 8192;
    float *w, *x, *y;
    CK(cudaMalloc(&w, (size_t)d * d * 4)); CK(cudaMalloc(&x, (size_t)d * batch * 4)); CK(cudaMalloc(&y, (size_t)d * batch * 4));
    init<<<(size_t)d * d / 256, 256>>>(w, (size_t)d * d, 2e-4f);
    init<<<(size_t)d * batch / 256, 256>>>(x, (size_t)d * batch, 1e-2f);
    cublasHandle_t h;
    cublasCreate(&h);
#ifdef GOOD
    cublasSetMathMode(h, CUBLAS_TF32_TENSOR_OP_MATH);
#endif
    float one = 1, zero = 0;
    for (int l = 0; l < layers; l++) {
        cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, d, batch, d, &one, w, d, x, d, &zero, y, d);
        std::swap(x, y);
    }
    float v[8]; bool ok = true;
    CK(cudaMemcpy(v, x, sizeof v, cudaMemcpyDeviceToHost));
    for (float f : v) ok = ok && std::isfinite(f);
    return report(ok);
}
