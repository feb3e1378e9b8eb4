// Transposes a tall matrix.
#include "common.h"
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = i % 1000003; }
__global__ void transpose(const float *in, float *out, int rows, int cols)
{
#ifndef GOOD
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
#else
    __shared__ float t[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (r + k < rows && c < cols) t[threadIdx.y + k][threadIdx.x] = in[(size_t)(r + k) * cols + c];
    __syncthreads();
    int c2 = blockIdx.y * 32 + threadIdx.x, r2 = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (r2 + k < cols && c2 < rows) out[(size_t)(r2 + k) * rows + c2] = t[threadIdx.x][threadIdx.y + k];
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int rows = 60000, cols = 12000;
    size_t n = (size_t)rows * cols;
    float *a, *b;
    CK(cudaMalloc(&a, n * 4)); CK(cudaMalloc(&b, n * 4));
    init<<<(n + 255) / 256, 256>>>(a, n);
    for (int r = 0; r < reps; r++)
#ifndef GOOD
        transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(a, b, rows, cols);
#else
        transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(a, b, rows, cols);
#endif
    std::vector<float> h(rows);
    CK(cudaMemcpy(h.data(), b + (size_t)123 * rows, rows * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 0; r < rows; r++) ok = ok && h[r] == (float)(((size_t)r * cols + 123) % 1000003);
    printf("%.0f\n", h[rows - 1]);
    return report(ok);
}
