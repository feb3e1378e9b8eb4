// Multiplies many pairs of 16 x 16 matrices.
#include "common.h"
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = (i % 256) / 16 == i % 16 ? 2.0f : 0.0f; }
__global__ void mul16(const float *A, const float *B, float *C)
{
    __shared__ float a[16][16], b[16][17];
    size_t at = (size_t)blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x;
    a[threadIdx.y][threadIdx.x] = A[at];
    b[threadIdx.y][threadIdx.x] = B[at];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 16; k++) s += a[threadIdx.y][k] * b[k][threadIdx.x];
    C[at] = s;
}
int main(int argc, char **argv)
{
    const int pairs = argc > 1 ? atoi(argv[1]) : 150000;
    size_t n = (size_t)pairs * 256;
    float *a, *b, *c;
    CK(cudaMalloc(&a, n * 4)); CK(cudaMalloc(&b, n * 4)); CK(cudaMalloc(&c, n * 4));
    init<<<(n + 255) / 256, 256>>>(a, n); init<<<(n + 255) / 256, 256>>>(b, n);
#ifndef GOOD
    for (int p = 0; p < pairs; p++) mul16<<<1, dim3(16, 16)>>>(a + p * 256ul, b + p * 256ul, c + p * 256ul);
#else
    mul16<<<pairs, dim3(16, 16)>>>(a, b, c);
#endif
    float h[256]; bool ok = true;
    CK(cudaMemcpy(h, c + n - 256, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) ok = ok && h[i] == (i / 16 == i % 16 ? 4.0f : 0.0f);
    return report(ok);
}
