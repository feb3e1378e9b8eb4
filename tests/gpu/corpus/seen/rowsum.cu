// Sums of the rows of a matrix.
#include "common.h"
__global__ void init(float *a, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) a[i] = (i % 13) * 0.125f;
}
#ifndef GOOD
__global__ void row_sums(const float *a, float *s, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float t = 0;
    for (int c = 0; c < cols; c++) t += a[(size_t)r * cols + c];
    s[r] = t;
}
#else
__global__ void row_sums(const float *a, float *s, int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float t = 0;
    for (int c = lane; c < cols; c += 32) t += a[(size_t)r * cols + c];
    for (int o = 16; o; o >>= 1) t += __shfl_down_sync(~0u, t, o);
    if (lane == 0) s[r] = t;
}
#endif
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int rows = 100000, cols = 4000;
    size_t n = (size_t)rows * cols;
    float *a, *s;
    CK(cudaMalloc(&a, n * 4)); CK(cudaMalloc(&s, rows * 4));
    init<<<(n + 255) / 256, 256>>>(a, n);
    for (int k = 0; k < reps; k++)
#ifndef GOOD
        row_sums<<<(rows + 255) / 256, 256>>>(a, s, rows, cols);
#else
        row_sums<<<(rows * 32 + 255) / 256, 256>>>(a, s, rows, cols);
#endif
    std::vector<float> h(rows);
    CK(cudaMemcpy(h.data(), s, rows * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 0; r < rows; r += 9973) {
        double ref = 0;
        for (int c = 0; c < cols; c++) ref += ((size_t)r * cols + c) % 13 * 0.125;
        ok = ok && close_to(h[r], ref, 1e-4);
    }
    printf("row 0: %.3f\n", h[0]);
    return report(ok);
}
