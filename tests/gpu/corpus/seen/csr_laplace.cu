// y = A x for a sparse matrix in CSR form with about 200 entries a row.
#include "common.h"
__global__ void fill(int *col, float *val, int rows, int per, int n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= (size_t)rows * per) return;
    int r = i / per, k = i % per;
    col[i] = (r + k * 37) % n;
    val[i] = 1.0f / (1 + k);
}
#ifndef GOOD
__global__ void spmv(const int *ptr, const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int k = ptr[r]; k < ptr[r + 1]; k++) s += val[k] * x[col[k]];
    y[r] = s;
}
#else
__global__ void spmv(const int *ptr, const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (r >= rows) return;
    float s = 0;
    for (int k = ptr[r] + lane; k < ptr[r + 1]; k += 32) s += val[k] * x[col[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) y[r] = s;
}
#endif
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 50;
    const int rows = 500000, per = 200;
    size_t nnz = (size_t)rows * per;
    int *ptr, *col; float *val, *x, *y;
    CK(cudaMalloc(&ptr, (rows + 1) * 4)); CK(cudaMalloc(&col, nnz * 4)); CK(cudaMalloc(&val, nnz * 4));
    CK(cudaMalloc(&x, rows * 4)); CK(cudaMalloc(&y, rows * 4));
    std::vector<int> p(rows + 1);
    for (int i = 0; i <= rows; i++) p[i] = i * per;
    std::vector<float> hx(rows, 1.0f), hy(rows);
    CK(cudaMemcpy(ptr, p.data(), p.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(x, hx.data(), rows * 4, cudaMemcpyHostToDevice));
    fill<<<(nnz + 255) / 256, 256>>>(col, val, rows, per, rows);
    for (int r = 0; r < reps; r++)
#ifndef GOOD
        spmv<<<(rows + 255) / 256, 256>>>(ptr, col, val, x, y, rows);
#else
        spmv<<<(rows * 32 + 255) / 256, 256>>>(ptr, col, val, x, y, rows);
#endif
    CK(cudaMemcpy(hy.data(), y, rows * 4, cudaMemcpyDeviceToHost));
    double ref = 0;
    for (int k = 0; k < per; k++) ref += 1.0 / (1 + k);
    printf("%.4f\n", hy[1]);
    return report(close_to(hy[0], ref, 1e-4) && close_to(hy[rows - 1], ref, 1e-4));
}
