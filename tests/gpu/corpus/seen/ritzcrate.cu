// Largest eigenvalue of many symmetric positive 128x128 matrices by power iteration, a block per matrix.
// usage: ritzcrate matrices iterations repetitions
#include "common.h"

#define N 128

__host__ __device__ inline float entry(unsigned m, unsigned i, unsigned j)
{
    unsigned lo = i < j ? i : j, hi = i < j ? j : i;
    unsigned h = m * 2246822519u + lo * 2654435761u + hi * 40503u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13; h *= 3266489917u; h ^= h >> 16;
    return (h >> 8) * (1.0f / 16777216.0f) + (i == j ? 0.5f : 0.0f);
}

__global__ void assemble(float *a)
{
    a[((size_t)blockIdx.y * N + blockIdx.x) * N + threadIdx.x] = entry(blockIdx.y, blockIdx.x, threadIdx.x);
}

// two threads share a row (the matrix is symmetric, so they walk down its column): each takes half of it
#ifdef GOOD
#define BLOCKS 2             // the matrix stays in registers
#else
#define BLOCKS 8
#endif
__global__ void __launch_bounds__(2 * N, BLOCKS) iterate(const float *__restrict__ a, float *__restrict__ lambda, int iterations)
{
    __shared__ __align__(16) float x[N];
    __shared__ float half[N], part[4];
    int row = threadIdx.x % N, second = threadIdx.x / N;
    const float *col = a + (size_t)blockIdx.x * N * N + (size_t)second * (N / 2) * N + row;
#ifdef GOOD
    float mine[N / 2];
#pragma unroll
    for (int j = 0; j < N / 2; j++) mine[j] = col[j * N];
#endif
    if (!second) x[row] = 1.0f / N;
    float total = 0.0f;
    __syncthreads();
    for (int it = 0; it < iterations; it++) {
        const float4 *xs = (const float4 *)(x + second * (N / 2));
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#ifdef GOOD
#pragma unroll
        for (int j = 0; j < N / 8; j++) {
            float4 v = xs[j];
            s0 += mine[4 * j] * v.x; s1 += mine[4 * j + 1] * v.y;
            s2 += mine[4 * j + 2] * v.z; s3 += mine[4 * j + 3] * v.w;
        }
#else
#pragma unroll 4
        for (int j = 0; j < N / 8; j++) {
            float4 v = xs[j];
            const float *c = col + 4 * j * N;
            s0 += c[0] * v.x; s1 += c[N] * v.y;
            s2 += c[2 * N] * v.z; s3 += c[3 * N] * v.w;
        }
#endif
        float y = (s0 + s1) + (s2 + s3);
        if (second) half[row] = y;
        __syncthreads();
        if (!second) {
            y += half[row];
            float t = y;
            for (int o = 16; o; o >>= 1) t += __shfl_xor_sync(0xffffffffu, t, o);
            if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = t;
        }
        __syncthreads();
        total = part[0] + part[1] + part[2] + part[3];
        if (!second) x[row] = y * (1.0f / total);
        __syncthreads();
    }
    if (threadIdx.x == 0) lambda[blockIdx.x] = total;
}

int main(int argc, char **argv)
{
    int matrices = argc > 1 ? atoi(argv[1]) : 4224;
    int iterations = argc > 2 ? atoi(argv[2]) : 40;
    int reps = argc > 3 ? atoi(argv[3]) : 700;
    float *a, *lambda;
    CK(cudaMalloc(&a, (size_t)matrices * N * N * sizeof(float)));
    CK(cudaMalloc(&lambda, matrices * sizeof(float)));
    assemble<<<dim3(N, matrices), N>>>(a);
    for (int r = 0; r < reps; r++) iterate<<<matrices, 2 * N>>>(a, lambda, iterations);
    CK(cudaGetLastError());
    std::vector<float> got(matrices);
    CK(cudaMemcpy(got.data(), lambda, matrices * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int m : {0, 1, matrices / 2, matrices - 1}) {
        std::vector<double> x(N, 1.0 / N), y(N);
        double total = 0;
        for (int it = 0; it < iterations; it++) {
            total = 0;
            for (int i = 0; i < N; i++) {
                y[i] = 0;
                for (int j = 0; j < N; j++) y[i] += entry(m, i, j) * x[j];
                total += y[i];
            }
            for (int i = 0; i < N; i++) x[i] = y[i] / total;
        }
        printf("matrix %d: %.4f (%.4f)\n", m, got[m], total);
        ok = ok && close_to(got[m], total, 1e-3);
    }
    CK(cudaFree(a)); CK(cudaFree(lambda));
    return report(ok);
}
