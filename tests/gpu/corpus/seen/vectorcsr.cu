// Power iteration for the stationary distribution of a road-like network: y = A x with a CSR matrix of
// about four entries a row, followed by a rescaling. A group of lanes works on each row.
#include "common.h"

#ifdef GOOD
#define LANES 4
#else
#define LANES 32
#endif

static int row_len(unsigned r) { return 2 + (int)((r * 2654435761u >> 20) % 5); }            // 2..6
__host__ __device__ static inline unsigned col_of(unsigned r, unsigned k, unsigned n)
{
    unsigned h = (r * 7u + k) * 0x85ebca6bu; h ^= h >> 13;
    long long c = (long long)r + (long long)(h % 2001u) - 1000;                               // near the diagonal
    return (unsigned)((c + n) % n);
}

__global__ void fill_matrix(const int *__restrict__ rp, int *ci, float *va, float *x, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    int a = rp[r], b = rp[r + 1];
    for (int k = a; k < b; k++) { ci[k] = col_of(r, k - a, n); va[k] = 1.0f / (b - a); }
    x[r] = 1.0f + (r % 16) * 0.125f;
}

__global__ void spmv(const int *__restrict__ rp, const int *__restrict__ ci, const float *__restrict__ va,
                     const float *__restrict__ x, float *__restrict__ y, int n)
{
    long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    int row = (int)(t / LANES), lane = threadIdx.x % LANES;
    if (row >= n) return;
    float s = 0;
    for (int k = rp[row] + lane; k < rp[row + 1]; k += LANES) s += va[k] * x[ci[k]];
#pragma unroll
    for (int d = LANES / 2; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d, LANES);
    if (lane == 0) y[row] = s;
}

int main(int argc, char **argv)
{
    int its = argc > 1 ? atoi(argv[1]) : 200;
    const int n = argc > 2 ? atoi(argv[2]) : 4 << 20;
    std::vector<int> rp(n + 1);
    for (int r = 0; r < n; r++) rp[r + 1] = rp[r] + row_len(r);
    const int nnz = rp[n];
    int *drp, *ci;
    float *va, *x, *y;
    CK(cudaMalloc(&drp, (n + 1) * sizeof(int)));
    CK(cudaMalloc(&ci, nnz * sizeof(int)));
    CK(cudaMalloc(&va, nnz * sizeof(float)));
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&y, n * sizeof(float)));
    CK(cudaMemcpy(drp, rp.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    fill_matrix<<<(n + 255) / 256, 256>>>(drp, ci, va, x, n);
    CK(cudaGetLastError());

    unsigned blocks = (unsigned)(((long long)n * LANES + 255) / 256);
    std::vector<float> h(n);
    bool ok = true;
    for (int it = 0; it < its; it++) {
        spmv<<<blocks, 256>>>(drp, ci, va, x, y, n);
        CK(cudaGetLastError());
        if (it == 0) {
            CK(cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost));
            for (int r = 0; r < n; r += 1013) {
                double s = 0;
                int len = row_len(r);
                for (int k = 0; k < len; k++) s += (1.0 + (col_of(r, k, n) % 16) * 0.125) / len;
                if (!close_to(h[r], s, 1e-5)) ok = false;
            }
        }
        std::swap(x, y);
    }
    CK(cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
    float lo = 1e30f, hi = -1e30f;
    for (int r = 0; r < n; r++) { lo = std::min(lo, h[r]); hi = std::max(hi, h[r]); }
    if (!(lo > 0.99f && hi < 2.9f)) ok = false;               // averages stay within the range of the start
    printf("%d rows, %d entries, x in [%.4f, %.4f]\n", n, nnz, lo, hi);
    CK(cudaFree(drp)); CK(cudaFree(ci)); CK(cudaFree(va)); CK(cudaFree(x)); CK(cudaFree(y));
    return report(ok);
}
