// A pipeline of short kernels; the author checks for errors after each.
#include "common.h"
__global__ void rotate(float *x, float *y, float c, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float a = x[i], b = y[i]; x[i] = c * a - s * b; y[i] = s * a + c * b; }
}
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 30000;
    const int n = 1 << 18;
    float *x, *y;
    CK(cudaMalloc(&x, n * 4)); CK(cudaMalloc(&y, n * 4));
    std::vector<float> h(n, 1.0f);
    CK(cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice)); CK(cudaMemset(y, 0, n * 4));
    for (int s = 0; s < steps; s++) {
        rotate<<<n / 256, 256>>>(x, y, 0.99999956f, 0.00094247f, n);
#ifndef GOOD
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
#endif
    }
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h.data(), x, n * 4, cudaMemcpyDeviceToHost));
    printf("%.2f\n", h[0]);
    return report(std::isfinite(h[0]));
}
