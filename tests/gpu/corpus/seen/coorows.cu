// y = A x with A as triplets (row, column, value), sorted by rows: a finite element matrix
// that was assembled and is used as it came.
//   coorows [times] [rows]
#include "common.h"

const int PER_ROW = 48;

__host__ __device__ inline int column_of(int row, int k, int rows) { return (row + (k - PER_ROW / 2) * 3 + rows) % rows; }
__host__ __device__ inline float value_of(int row, int k) { return ((row * 31 + k * 17) % 64 - 20) * 0.01f; }

__global__ void assemble(int *row, int *col, float *val, float *x, int rows)
{
    long n = (long)rows * PER_ROW;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) {
        int r = (int)(i / PER_ROW), k = (int)(i % PER_ROW);
        row[i] = r;
        col[i] = column_of(r, k, rows);
        val[i] = value_of(r, k);
        if (k == 0) x[r] = 1 + r % 7 * 0.125f;
    }
}

__global__ void multiply(const int *__restrict__ row, const int *__restrict__ col, const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
#ifndef GOOD
    if (i >= n) return;
    atomicAdd(&y[row[i]], val[i] * x[col[i]]);
#else
    int r = i < n ? row[i] : -1, lane = threadIdx.x % 32;
    float p = i < n ? val[i] * x[col[i]] : 0;
    // The last lane of each row gets the sum of its row's lanes.
    for (int d = 1; d < 32; d *= 2) {
        float q = __shfl_up_sync(~0u, p, d);
        int s = __shfl_up_sync(~0u, r, d);
        if (lane >= d && s == r) p += q;
    }
    int next = __shfl_down_sync(~0u, r, 1);
    if (r >= 0 && (lane == 31 || next != r)) atomicAdd(&y[r], p);
#endif
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 30, rows = argc > 2 ? atoi(argv[2]) : 2000000;
    long n = (long)rows * PER_ROW;
    int *row, *col;
    float *val, *x, *y;
    CK(cudaMalloc(&row, n * sizeof(int)));
    CK(cudaMalloc(&col, n * sizeof(int)));
    CK(cudaMalloc(&val, n * sizeof(float)));
    CK(cudaMalloc(&x, rows * sizeof(float)));
    CK(cudaMalloc(&y, rows * sizeof(float)));
    assemble<<<1056, 256>>>(row, col, val, x, rows);
    for (int t = 0; t < times; t++) {
        CK(cudaMemsetAsync(y, 0, rows * sizeof(float)));
        multiply<<<(unsigned)((n + 255) / 256), 256>>>(row, col, val, x, y, n);
    }
    CK(cudaGetLastError());
    std::vector<float> h(rows);
    CK(cudaMemcpy(h.data(), y, rows * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 0; r < rows; r += rows / 5000 + 1) {
        double want = 0;
        for (int k = 0; k < PER_ROW; k++) want += value_of(r, k) * (1 + column_of(r, k, rows) % 7 * 0.125);
        ok = ok && close_to(h[r], want, 1e-3);
    }
    printf("y[1] = %.4f\n", h[1]);
    return report(ok);
}
