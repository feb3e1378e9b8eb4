// LU decomposition without pivoting, in place, right-looking.
#include "common.h"
__global__ void init(float *a, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < n) a[(size_t)i * n + j] = i == j ? n : ((i * 7 + j * 13) % 10) * 0.1f;
}
#ifndef GOOD
__global__ void column(float *a, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > k && i < n) a[(size_t)i * n + k] /= a[(size_t)k * n + k];
}
__global__ void update(float *a, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > k && j > k && i < n && j < n) a[(size_t)i * n + j] -= a[(size_t)i * n + k] * a[(size_t)k * n + j];
}
#else
__global__ void column(float *a, int n, int k)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[(size_t)i * n + k] /= a[(size_t)k * n + k];
}
__global__ void update(float *a, int n, int k)
{
    int j = ((k + 1) & ~31) + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n && j > k) a[(size_t)i * n + j] -= a[(size_t)i * n + k] * a[(size_t)k * n + j];
}
#endif
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    float *a;
    CK(cudaMalloc(&a, (size_t)n * n * 4));
    init<<<dim3((n + 255) / 256, n), 256>>>(a, n);
    dim3 b(32, 8);
    for (int k = 0; k < n - 1; k++) {
#ifndef GOOD
        column<<<(n + 255) / 256, 256>>>(a, n, k);
        update<<<dim3((n + 31) / 32, (n + 7) / 8), b>>>(a, n, k);
#else
        int m = n - k - 1, from = (k + 1) & ~31;
        column<<<(m + 255) / 256, 256>>>(a, n, k);
        update<<<dim3((n - from + 31) / 32, (m + 7) / 8), b>>>(a, n, k);
#endif
    }
    float u;
    CK(cudaMemcpy(&u, a + (size_t)n * n - 1, 4, cudaMemcpyDeviceToHost));
    printf("last pivot %.2f\n", u);
    return report(u > 0.9f * n && u < 1.1f * n);
}
