// All shortest paths by Floyd and Warshall.
#include "common.h"
__global__ void init(int *d, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < n) d[(size_t)i * n + j] = i == j ? 0 : 1 + (i * 31 + j * 17) % 1000;
}
__global__ void relax(int *d, int n, int k)
{
#ifndef GOOD
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
#else
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
#endif
    if (i >= n || j >= n) return;
    int via = d[(size_t)i * n + k] + d[(size_t)k * n + j];
    if (via < d[(size_t)i * n + j]) d[(size_t)i * n + j] = via;
}
int main(int argc, char **argv)
{
    int n = 3000, steps = argc > 1 ? atoi(argv[1]) : n;
    int *d;
    CK(cudaMalloc(&d, (size_t)n * n * 4));
    init<<<dim3((n + 255) / 256, n), 256>>>(d, n);
    for (int k = 0; k < steps; k++) relax<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(d, n, k);
    std::vector<int> h(n);
    CK(cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost));
    long sum = 0;
    for (int x : h) sum += x;
    printf("sum of the first row %ld\n", sum);
    return report(h[0] == 0 && sum > 0);
}
