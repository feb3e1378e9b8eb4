// Explicit heat equation on a square plate.
#include "common.h"
__global__ void step(const float *u, float *v, int nx, int ny, float a)
{
#ifndef GOOD
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    int y = blockIdx.x * blockDim.x + threadIdx.x;
#else
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
#endif
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    int c = y * nx + x;
    v[c] = u[c] + a * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] - 4.0f * u[c]);
}
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 8192;
    size_t bytes = sizeof(float) * n * n;
    std::vector<float> hot(n, 100.0f);
    float *u, *v;
    CK(cudaMalloc(&u, bytes)); CK(cudaMalloc(&v, bytes));
    CK(cudaMemset(u, 0, bytes));
    CK(cudaMemcpy(u, hot.data(), n * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(v, u, bytes, cudaMemcpyDeviceToDevice));
    dim3 b(32, 8);
    dim3 g(n / 32, n / 8);
    for (int s = 0; s < steps; s++) {
        step<<<g, b>>>(u, v, n, n, 0.2f);
        std::swap(u, v);
    }
    float row[4];
    CK(cudaMemcpy(row, u + n + n / 2, sizeof row, cudaMemcpyDeviceToHost));
    printf("below the hot edge: %.4f\n", row[0]);
    return report(row[0] > 0 && row[0] < 100 && row[0] == row[1]);
}
