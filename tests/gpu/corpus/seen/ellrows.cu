// Power iteration with a matrix in ELLPACK form.
#include "common.h"
__global__ void build(int *col, float *val, int n, int w)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    for (int k = 0; k < w; k++) {
#ifndef GOOD
        size_t at = (size_t)r * w + k;
#else
        size_t at = (size_t)k * n + r;
#endif
        col[at] = (r + k - w / 2 + n) % n;
        val[at] = 1.0f / w;
    }
}
__global__ void ell_mv(const int *__restrict__ col, const float *__restrict__ val, const float *__restrict__ x, float *y, int n, int w)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0;
    for (int k = 0; k < w; k++) {
#ifndef GOOD
        size_t at = (size_t)r * w + k;
#else
        size_t at = (size_t)k * n + r;
#endif
        s += val[at] * x[col[at]];
    }
    y[r] = s;
}
int main(int argc, char **argv)
{
    int iters = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 1 << 21, w = 33;
    int *col; float *val, *x, *y;
    CK(cudaMalloc(&col, (size_t)n * w * 4)); CK(cudaMalloc(&val, (size_t)n * w * 4));
    CK(cudaMalloc(&x, n * 4)); CK(cudaMalloc(&y, n * 4));
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = i % 2;
    CK(cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice));
    build<<<n / 256, 256>>>(col, val, n, w);
    for (int i = 0; i < iters; i++) { ell_mv<<<n / 256, 256>>>(col, val, x, y, n, w); std::swap(x, y); }
    CK(cudaMemcpy(h.data(), x, n * 4, cudaMemcpyDeviceToHost));
    printf("%.3f\n", h[100]);
    return report(h[100] > 0.4f && h[100] < 0.6f);
}
