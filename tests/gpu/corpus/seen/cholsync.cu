// Cholesky factorisation of one matrix, column after column (course on numerical methods).
#include <cuda_runtime.h>
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>

#define SAFE(call) do { cudaError_t err = (call); if (err != cudaSuccess) { \
    std::cerr << "CUDA: " << cudaGetErrorString(err) << " at " << __LINE__ << std::endl; std::exit(1); } } while (0)

// Row r of the lower part; element (r, c) at a[c * n + r].
__global__ void scaleColumn(float *a, int n, int k)
{
    __shared__ float pivot;
    if (threadIdx.x == 0) pivot = sqrtf(a[(size_t)k * n + k]);
    __syncthreads();
    for (int r = k + 1 + threadIdx.x; r < n; r += blockDim.x) a[(size_t)k * n + r] /= pivot;
    if (threadIdx.x == 0) a[(size_t)k * n + k] = pivot;
}

__global__ void updateTrailing(float *a, int n, int k)
{
    int r = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, c = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= n || c > r) return;
    a[(size_t)c * n + r] -= a[(size_t)k * n + r] * a[(size_t)k * n + c];
}

inline void finished()
{
    SAFE(cudaGetLastError());
#ifndef GOOD
    SAFE(cudaDeviceSynchronize());
#endif
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 2048, times = argc > 2 ? std::atoi(argv[2]) : 2;
    std::vector<float> a((size_t)n * n), l((size_t)n * n);
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) a[(size_t)c * n + r] = r == c ? 2.0f : 1.0f / (1 + std::abs(r - c)) / 8;
    float *d;
    SAFE(cudaMalloc(&d, sizeof(float) * n * n));
    for (int t = 0; t < times; ++t) {
        SAFE(cudaMemcpy(d, a.data(), sizeof(float) * n * n, cudaMemcpyHostToDevice));
        for (int k = 0; k < n; ++k) {
            scaleColumn<<<1, 512>>>(d, n, k);
            finished();
            if (k + 1 < n) {
                int rest = n - k - 1;
                updateTrailing<<<dim3((rest + 63) / 64, (rest + 3) / 4), dim3(64, 4)>>>(d, n, k);
                finished();
            }
        }
    }
    SAFE(cudaMemcpy(l.data(), d, sizeof(float) * n * n, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int test = 0; test < 400; ++test) {
        int r = (test * 337 + 5) % n, c = (test * 91) % n;
        if (c > r) std::swap(c, r);
        double s = 0;
        for (int k = 0; k <= c; ++k) s += (double)l[(size_t)k * n + r] * l[(size_t)k * n + c];
        worst = std::fmax(worst, std::fabs(s - a[(size_t)c * n + r]));
    }
    std::cout << "l(0,0) = " << l[0] << ", worst " << worst << std::endl;
    return worst < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
