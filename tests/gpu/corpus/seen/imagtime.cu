// Ground state of a particle in a 2-D harmonic trap by propagation in imaginary
// time. After every step the wave function is normalised again; the norm comes
// from a reduction over the grid.
#include "common.h"
#include <thrust/transform_reduce.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <cub/device/device_reduce.cuh>

constexpr int N = 512;
constexpr float DX = 16.0f / N, DT = 4.0e-4f;

struct Square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};

__device__ inline float trap(int i, int j)
{
    float x = (i - N / 2) * DX, y = (j - N / 2) * DX;
    return 0.5f * (x * x + y * y);
}

__global__ void start_packet(float *psi)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    float x = (i - N / 2) * DX, y = (j - N / 2) * DX;
    bool edge = i == 0 || j == 0 || i == N - 1 || j == N - 1;
    psi[j * N + i] = edge ? 0.0f : expf(-0.3f * (x * x + y * y));
}

#ifdef GOOD
__global__ void propagate(const float *psi, float *out, const float *norm2)
{
    float scale = rsqrtf(*norm2 * DX * DX);
#else
__global__ void propagate(const float *psi, float *out, float scale)
{
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i == 0 || j == 0 || i == N - 1 || j == N - 1) return;
    const float *p = psi + j * N + i;
    float c = p[0];
    float lap = (p[1] + p[-1] + p[N] + p[-N] - 4.0f * c) * (1.0f / (DX * DX));
    out[j * N + i] = scale * (c + DT * (0.5f * lap - trap(i, j) * c));
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 5000;
    float *a, *b;
    CK(cudaMalloc(&a, N * N * sizeof(float)));
    CK(cudaMalloc(&b, N * N * sizeof(float)));
    CK(cudaMemset(b, 0, N * N * sizeof(float)));
    dim3 grid(N / 128, N);
    start_packet<<<grid, 128>>>(a);
    CK(cudaGetLastError());
#ifdef GOOD
    float *norm;
    void *tmp = nullptr;
    size_t bytes = 0;
    CK(cudaMalloc(&norm, sizeof(float)));
    CK(cub::DeviceReduce::TransformReduce(tmp, bytes, a, norm, N * N, thrust::plus<float>(), Square(), 0.0f));
    CK(cudaMalloc(&tmp, bytes));
#endif
    for (int s = 0; s < steps; s++) {
#ifdef GOOD
        CK(cub::DeviceReduce::TransformReduce(tmp, bytes, a, norm, N * N, thrust::plus<float>(), Square(), 0.0f));
        propagate<<<grid, 128>>>(a, b, norm);
#else
        float norm = thrust::transform_reduce(thrust::device, a, a + N * N, Square(), 0.0f, thrust::plus<float>());
        propagate<<<grid, 128>>>(a, b, 1.0f / sqrtf(norm * DX * DX));
#endif
        std::swap(a, b);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // energy expectation value: the exact ground state has E = 1
    std::vector<float> h(N * N);
    CK(cudaMemcpy(h.data(), a, N * N * sizeof(float), cudaMemcpyDeviceToHost));
    double nn = 0, e = 0;
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) {
            double x = (i - N / 2) * (double)DX, y = (j - N / 2) * (double)DX, c = h[j * N + i];
            double lap = (h[j * N + i + 1] + h[j * N + i - 1] + h[(j + 1) * N + i] + h[(j - 1) * N + i] - 4.0 * c) / (DX * DX);
            nn += c * c;
            e += c * (-0.5 * lap + 0.5 * (x * x + y * y) * c);
        }
    e /= nn;
    printf("energy %.5f\n", e);
    bool ok = e > 0.98 && e < 1.14 && fabs(nn * DX * DX - 1.0) < 0.01;
#ifdef GOOD
    CK(cudaFree(tmp)); CK(cudaFree(norm));
#endif
    CK(cudaFree(a)); CK(cudaFree(b));
    return report(ok);
}
