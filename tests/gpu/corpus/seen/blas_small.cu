// Products of many 64 x 64 matrices with cuBLAS.
#include "common.h"
#include <cublas_v2.h>
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = (i % 4096) / 64 == i % 64 ? 1.5f : 0.0f; }
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    const int m = 64, count = 20000;
    size_t n = (size_t)m * m * count;
    float *a, *b, *c;
    CK(cudaMalloc(&a, n * 4)); CK(cudaMalloc(&b, n * 4)); CK(cudaMalloc(&c, n * 4));
    init<<<n / 256, 256>>>(a, n); init<<<n / 256, 256>>>(b, n);
    cublasHandle_t h;
    cublasCreate(&h);
    float one = 1, zero = 0;
    for (int r = 0; r < rounds; r++) {
#ifndef GOOD
        for (int k = 0; k < count; k++)
            cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, m, m, m, &one, a + (size_t)k * m * m, m, b + (size_t)k * m * m, m, &zero, c + (size_t)k * m * m, m);
#else
        cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, m, m, m, &one, a, m, m * m, b, m, m * m, &zero, c, m, m * m, count);
#endif
    }
    float v;
    CK(cudaMemcpy(&v, c + n - 1, 4, cudaMemcpyDeviceToHost));
    printf("%.2f\n", v);
    return report(v == 2.25f);
}
