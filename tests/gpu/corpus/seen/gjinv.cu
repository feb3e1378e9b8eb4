// Inverses of many matrices of 18 x 18 (space-time adaptive processing) by Gauss and
// Jordan; a thread has a column of the matrix and one of its inverse.
//   gjinv [matrices] [times]
#include "common.h"

const int N = 18;
#ifndef GOOD
const int GROUP = 1, PITCH = N * 2 * N + N;
#else
const int GROUP = 16, PITCH = 690;         // that the matrices of a warp lie in different banks
#endif

__host__ __device__ inline float element(int m, int r, int c)
{
    return r == c ? 4.0f + (m + r) % 5 : (float)((m * 7 + r * 13 + c * 29) % 23 - 11) * 0.02f;
}

__global__ void covariances(float *a, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count * N * N) a[i] = element(i / (N * N), i / N % N, i % N);
}

__global__ void __launch_bounds__(N * GROUP) invert(const float *__restrict__ in, float *__restrict__ out, int count)
{
    __shared__ float space[GROUP * PITCH];
    int c = threadIdx.x, m = blockIdx.x * GROUP + threadIdx.y;
    float *a = space + threadIdx.y * PITCH, *factor = a + N * 2 * N;
    bool in_range = m < count;
    if (in_range)
        for (int r = 0; r < N; r++) {
            a[r * 2 * N + c] = in[(size_t)m * N * N + r * N + c];
            a[r * 2 * N + N + c] = r == c;
        }
    for (int k = 0; k < N; k++) {
        __syncthreads();
        if (in_range) factor[c] = a[c * 2 * N + k];
        __syncthreads();
        if (!in_range) continue;
        float p = 1 / factor[k], u = a[k * 2 * N + c] * p, v = a[k * 2 * N + N + c] * p;
#pragma unroll 6
        for (int r = 0; r < N; r++) {
            float f = factor[r];
            a[r * 2 * N + c] = r == k ? u : a[r * 2 * N + c] - f * u;
            a[r * 2 * N + N + c] = r == k ? v : a[r * 2 * N + N + c] - f * v;
        }
    }
    if (in_range)
        for (int r = 0; r < N; r++) out[(size_t)m * N * N + r * N + c] = a[r * 2 * N + N + c];
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 400000, times = argc > 2 ? atoi(argv[2]) : 10;
    float *a, *b;
    CK(cudaMalloc(&a, (size_t)count * N * N * 4));
    CK(cudaMalloc(&b, (size_t)count * N * N * 4));
    covariances<<<(count * N * N + 255) / 256, 256>>>(a, count);
    for (int t = 0; t < times; t++) invert<<<(count + GROUP - 1) / GROUP, dim3(N, GROUP)>>>(a, b, count);
    CK(cudaGetLastError());
    std::vector<float> h((size_t)count * N * N);
    CK(cudaMemcpy(h.data(), b, h.size() * 4, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int m = 0; m < count; m += count / 200 + 1)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double s = 0;
                for (int k = 0; k < N; k++) s += element(m, i, k) * h[((size_t)m * N + k) * N + j];
                worst = std::max(worst, fabs(s - (i == j)));
            }
    printf("largest residual %g\n", worst);
    return report(worst < 1e-4);
}
