// Gaussian elimination with partial pivoting.
#include "common.h"
__host__ __device__ inline float elem(int i, int j) { unsigned h = (i * 40503u + j) * 2654435761u; h ^= h >> 13; return (h % 2001) * 0.001f - 1.0f; }
__global__ void init(float *a, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < n) a[(size_t)i * n + j] = elem(i, j);
}
#ifndef GOOD
__global__ void find_pivot(const float *a, int n, int k, int *p)
{
    int best = k;
    float v = fabsf(a[(size_t)k * n + k]);
    for (int i = k + 1; i < n; i++)
        if (fabsf(a[(size_t)i * n + k]) > v) { v = fabsf(a[(size_t)i * n + k]); best = i; }
    *p = best;
}
#else
__global__ void find_pivot(const float *a, int n, int k, int *p)
{
    __shared__ unsigned long long s[32];
    unsigned long long m = 0;
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) {
        unsigned long long c = (unsigned long long)__float_as_uint(fabsf(a[(size_t)i * n + k])) << 32 | (unsigned)(n - i);
        m = max(m, c);
    }
    for (int o = 16; o; o >>= 1) m = max(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 32; w++) m = max(m, s[w]);
        *p = n - (int)(unsigned)m;
    }
}
#endif
__global__ void swap_rows(float *a, int n, int k, const int *p)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n && *p != k) { float t = a[(size_t)k * n + j]; a[(size_t)k * n + j] = a[(size_t)*p * n + j]; a[(size_t)*p * n + j] = t; }
}
__global__ void eliminate(float *a, int n, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[(size_t)i * n + j] -= a[(size_t)i * n + k] / a[(size_t)k * n + k] * a[(size_t)k * n + j];
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2048;
    float *a; int *p;
    CK(cudaMalloc(&a, (size_t)n * n * 4)); CK(cudaMalloc(&p, 4));
    init<<<dim3((n + 255) / 256, n), 256>>>(a, n);
    for (int k = 0; k < n - 1; k++) {
        int m = n - k - 1;
#ifndef GOOD
        find_pivot<<<1, 1>>>(a, n, k, p);
#else
        find_pivot<<<1, 1024>>>(a, n, k, p);
#endif
        swap_rows<<<(n + 255) / 256, 256>>>(a, n, k, p);
        eliminate<<<dim3((m + 31) / 32, (m + 7) / 8), dim3(32, 8)>>>(a, n, k);
    }
    float u;
    CK(cudaMemcpy(&u, a + (size_t)n * n - 1, 4, cudaMemcpyDeviceToHost));
    printf("last pivot is %sfinite\n", std::isfinite(u) ? "" : "not ");
    return report(std::isfinite(u));
}
