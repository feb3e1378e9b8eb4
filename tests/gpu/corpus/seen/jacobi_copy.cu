// Jacobi iteration for Laplace's equation.
#include "common.h"
__global__ void relax(const float *__restrict__ a, float *__restrict__ b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        b[y * n + x] = 0.25f * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}
__global__ void copy_back(float *a, const float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        a[y * n + x] = b[y * n + x];
}
int main(int argc, char **argv)
{
    int iters = argc > 1 ? atoi(argv[1]) : 300;
    const int n = 8192;
    size_t bytes = sizeof(float) * n * n;
    float *a, *b;
    CK(cudaMalloc(&a, bytes)); CK(cudaMalloc(&b, bytes));
    CK(cudaMemset(a, 0, bytes)); CK(cudaMemset(b, 0, bytes));
    std::vector<float> edge(n, 1.0f);
    CK(cudaMemcpy(a, edge.data(), n * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(b, edge.data(), n * 4, cudaMemcpyHostToDevice));
    dim3 t(32, 8), g(n / 32, n / 8);
    for (int i = 0; i < iters; i++) {
        relax<<<g, t>>>(a, b, n);
#ifndef GOOD
        copy_back<<<g, t>>>(a, b, n);
#else
        std::swap(a, b);
#endif
    }
    float v;
    CK(cudaMemcpy(&v, a + n + n / 2, 4, cudaMemcpyDeviceToHost));
    printf("first inner row %.5f\n", v);
    return report(v > 0.1f && v < 1.0f);
}
