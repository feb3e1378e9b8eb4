// Uploads a table row by row, as it is kept in a vector of vectors.
#include "common.h"
__global__ void colsum(const float *a, float *s, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float t = 0;
    for (int r = blockIdx.y; r < rows; r += gridDim.y) t += a[(size_t)r * cols + c];
    atomicAdd(&s[c], t);
}
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    const int rows = 40000, cols = 512;
    float *a, *s, *stage;
    CK(cudaMalloc(&a, (size_t)rows * cols * 4)); CK(cudaMalloc(&s, cols * 4));
    std::vector<std::vector<float>> table(rows, std::vector<float>(cols));
    for (int r = 0; r < rows; r++) for (int c = 0; c < cols; c++) table[r][c] = (r + c) % 5;
#ifdef GOOD
    stage = (float *)malloc((size_t)rows * cols * 4);
#endif
    for (int k = 0; k < rounds; k++) {
#ifndef GOOD
        for (int r = 0; r < rows; r++)
            CK(cudaMemcpy(a + (size_t)r * cols, table[r].data(), cols * 4, cudaMemcpyHostToDevice));
#else
        for (int r = 0; r < rows; r++) memcpy(stage + (size_t)r * cols, table[r].data(), cols * 4);
        CK(cudaMemcpy(a, stage, (size_t)rows * cols * 4, cudaMemcpyHostToDevice));
#endif
        CK(cudaMemset(s, 0, cols * 4));
        colsum<<<dim3(cols / 128, 200), 128>>>(a, s, rows, cols);
    }
    std::vector<float> h(cols);
    CK(cudaMemcpy(h.data(), s, cols * 4, cudaMemcpyDeviceToHost));
    printf("%.0f\n", h[0]);
    return report(h[0] == rows / 5 * 10);
}
