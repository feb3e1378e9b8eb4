// Haar packet of vibration records: 64-sample rows, one row per thread in
// shared memory; the block loads and stores its rows side by side.
#include "common.h"

#define LEN 64
#define ROWS 128
#ifdef GOOD
#define PITCH (LEN + 1)
#else
#define PITCH LEN
#endif

__global__ void records(float *x, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned s = (unsigned)i * 2654435761u;
        x[i] = ((s ^ s >> 13) & 0xffff) * (1.0f / 65536.0f) - 0.5f;
    }
}

__global__ void haar_rows(const float *__restrict__ x, float *__restrict__ y, float thresh)
{
    __shared__ float s[ROWS * PITCH];
    size_t first = (size_t)blockIdx.x * ROWS * LEN;
    for (int k = threadIdx.x; k < ROWS * LEN; k += ROWS)
        s[k / LEN * PITCH + k % LEN] = x[first + k];
    __syncthreads();

    float *row = s + threadIdx.x * PITCH;
    const float c = 0.70710678f;
    for (int step = 1; step < LEN; step *= 2)
        for (int i = 0; i < LEN; i += 2 * step) {
            float a = row[i], b = row[i + step];
            float d = c * (a - b);
            row[i] = c * (a + b);
            row[i + step] = fabsf(d) < thresh ? 0.0f : d;
        }
    __syncthreads();
    for (int k = threadIdx.x; k < ROWS * LEN; k += ROWS)
        y[first + k] = s[k / LEN * PITCH + k % LEN];
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 500;
    const int blocks = 4096;
    const size_t n = (size_t)blocks * ROWS * LEN;
    float *x, *y;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&y, n * sizeof(float)));
    records<<<2048, 256>>>(x, n);
    CK(cudaGetLastError());
    for (int r = 0; r < reps; r++)
        haar_rows<<<blocks, ROWS>>>(x, y, 0.05f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int t = 0; t < 20; t++) {
        size_t r = (size_t)t * (blocks * ROWS / 20);
        float a[LEN], g[LEN];
        CK(cudaMemcpy(a, x + r * LEN, sizeof a, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(g, y + r * LEN, sizeof g, cudaMemcpyDeviceToHost));
        for (int step = 1; step < LEN; step *= 2)
            for (int i = 0; i < LEN; i += 2 * step) {
                float p = a[i], q = a[i + step], d = 0.70710678f * (p - q);
                a[i] = 0.70710678f * (p + q);
                a[i + step] = fabsf(d) < 0.05f ? 0.0f : d;
            }
        for (int i = 0; i < LEN; i++) {
            bool edge = fabs(fabs(a[i]) - 0.05) < 1e-4 || fabs(fabs(g[i]) - 0.05) < 1e-4;
            if (!edge && !close_to(g[i], a[i], 1e-4)) ok = false;
        }
    }
    CK(cudaFree(x));
    CK(cudaFree(y));
    return report(ok);
}
