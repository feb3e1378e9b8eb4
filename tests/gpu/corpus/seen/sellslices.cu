// Chebyshev-like smoothing with a sparse operator in sliced ELLPACK form: slices of 32 rows, each as wide as its
// longest row, stored column by column, so that the lanes of a warp read neighbouring entries.
#include "common.h"

#ifdef GOOD
#define THREADS 128
#else
#define THREADS 256
#endif

static int width_of(unsigned slice) { return 12 + (int)((slice * 2654435761u >> 20) % 9); }       // 12..20
__host__ __device__ static inline int col_of(unsigned row, unsigned k, int n)
{
    unsigned h = (row / 8 * 31u + k) * 0x85ebca6bu; h ^= h >> 13;
    int c = (int)row + (int)(h % 4001u) - 2000;
    return c < 0 ? c + n : c >= n ? c - n : c;
}

__global__ void assemble(const int *__restrict__ start, int *ci, float *va, float *x, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    int s = r / 32, a = start[s], w = (start[s + 1] - a) / 32;
    for (int k = 0; k < w; k++) {
        ci[a + k * 32 + r % 32] = col_of(r, k, n);
        va[a + k * 32 + r % 32] = 0.9f / w;
    }
    x[r] = (r % 32) * 0.0625f;
}

__global__ void smooth(const int *__restrict__ start, const int *__restrict__ ci, const float *__restrict__ va,
                       const float *__restrict__ x, float *__restrict__ y, int n)
{
    int r = blockIdx.x * THREADS + threadIdx.x;
    if (r >= n) return;
    int s = r / 32, e = start[s] + r % 32, end = start[s + 1];
    float acc = 0;
#pragma unroll 4
    for (; e < end; e += 32) acc += va[e] * x[ci[e]];
    y[r] = acc + 0.1f * x[r];
}

int main(int argc, char **argv)
{
    int its = argc > 1 ? atoi(argv[1]) : 300;
    const int n = argc > 2 ? atoi(argv[2]) : 2 << 20;           // a multiple of 32
    std::vector<int> start(n / 32 + 1);
    for (int s = 0; s < n / 32; s++) start[s + 1] = start[s] + 32 * width_of(s);
    const int stored = start[n / 32];
    int *ds, *ci;
    float *va, *x, *y;
    CK(cudaMalloc(&ds, start.size() * sizeof(int)));
    CK(cudaMalloc(&ci, stored * sizeof(int)));
    CK(cudaMalloc(&va, stored * sizeof(float)));
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&y, n * sizeof(float)));
    CK(cudaMemcpy(ds, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice));
    assemble<<<(n + 255) / 256, 256>>>(ds, ci, va, x, n);
    CK(cudaGetLastError());

    std::vector<float> h(n);
    bool ok = true;
    for (int it = 0; it < its; it++) {
        smooth<<<(n + THREADS - 1) / THREADS, THREADS>>>(ds, ci, va, x, y, n);
        CK(cudaGetLastError());
        if (it == 0) {
            CK(cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost));
            for (int r = 0; r < n; r += 611) {
                int w = width_of(r / 32);
                double s = 0.1 * (r % 32) * 0.0625;
                for (int k = 0; k < w; k++) s += 0.9 / w * ((col_of(r, k, n) % 32) * 0.0625);
                if (!close_to(h[r], s, 1e-4)) ok = false;
            }
        }
        std::swap(x, y);
    }
    CK(cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
    float lo = 1e30f, hi = -1e30f;
    for (int r = 0; r < n; r++) { lo = std::min(lo, h[r]); hi = std::max(hi, h[r]); }
    if (!(lo >= -1e-3f && hi <= 1.95f)) ok = false;
    printf("%d rows, %d stored entries, values in [%.4f, %.4f]\n", n, stored, lo, hi);
    CK(cudaFree(ds)); CK(cudaFree(ci)); CK(cudaFree(va)); CK(cudaFree(x)); CK(cudaFree(y));
    return report(ok);
}
