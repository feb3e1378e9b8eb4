// Conjugate gradients for a 1-D Laplacian with cuBLAS vector operations.
#include "common.h"
#include <cublas_v2.h>
__global__ void laplace(const float *p, float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i] = 2.0002f * p[i] - (i ? p[i - 1] : 0) - (i < n - 1 ? p[i + 1] : 0);
}
#ifdef GOOD
__global__ void quotient(const float *a, const float *b, float *q, float *minus) { *q = *a / *b; *minus = -*q; }
__global__ void direction(float *p, const float *r, const float *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = r[i] + *b * p[i]; }
#endif
int main(int argc, char **argv)
{
    int iters = argc > 1 ? atoi(argv[1]) : 5000;
    const int n = 1 << 18, g = n / 256;
    float *x, *r, *p, *q;
    CK(cudaMalloc(&x, n * 4)); CK(cudaMalloc(&r, n * 4)); CK(cudaMalloc(&p, n * 4)); CK(cudaMalloc(&q, n * 4));
    std::vector<float> b(n);
    for (int i = 0; i < n; i++) b[i] = sinf(i * 0.001f) + (i % 3);
    CK(cudaMemset(x, 0, n * 4));
    CK(cudaMemcpy(r, b.data(), n * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(p, b.data(), n * 4, cudaMemcpyHostToDevice));
    cublasHandle_t h;
    cublasCreate(&h);
#ifndef GOOD
    float rr, rn, pq, one = 1;
    cublasSdot(h, n, r, 1, r, 1, &rr);
    for (int k = 0; k < iters; k++) {
        laplace<<<g, 256>>>(p, q, n);
        cublasSdot(h, n, p, 1, q, 1, &pq);
        float a = pq != 0 ? rr / pq : 0, ma = -a;
        cublasSaxpy(h, n, &a, p, 1, x, 1);
        cublasSaxpy(h, n, &ma, q, 1, r, 1);
        cublasSdot(h, n, r, 1, r, 1, &rn);
        float be = rr != 0 ? rn / rr : 0;
        rr = rn;
        cublasSscal(h, n, &be, p, 1);
        cublasSaxpy(h, n, &one, r, 1, p, 1);
        if (rr < 1e-20f) break;
    }
#else
    float *s;					// rr, rn, pq, a, -a, be, -be
    CK(cudaMalloc(&s, 64));
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    cublasSdot(h, n, r, 1, r, 1, s);
    for (int k = 0; k < iters; k++) {
        laplace<<<g, 256>>>(p, q, n);
        cublasSdot(h, n, p, 1, q, 1, s + 2);
        quotient<<<1, 1>>>(s, s + 2, s + 3, s + 4);
        cublasSaxpy(h, n, s + 3, p, 1, x, 1);
        cublasSaxpy(h, n, s + 4, q, 1, r, 1);
        cublasSdot(h, n, r, 1, r, 1, s + 1);
        quotient<<<1, 1>>>(s + 1, s, s + 5, s + 6);
        CK(cudaMemcpyAsync(s, s + 1, 4, cudaMemcpyDeviceToDevice));
        direction<<<g, 256>>>(p, r, s + 5, n);
        if (k % 100 == 99) { float v; CK(cudaMemcpy(&v, s, 4, cudaMemcpyDeviceToHost)); if (v < 1e-20f) break; }
    }
#endif
    std::vector<float> hx(n);
    CK(cudaMemcpy(hx.data(), x, n * 4, cudaMemcpyDeviceToHost));
    int i = n / 2;
    double res = 2.0002 * hx[i] - hx[i - 1] - hx[i + 1] - b[i];
    printf("residual in the middle is %s\n", fabs(res) < 0.2 ? "small" : "large");
    return report(fabs(res) < 0.2 || iters < 50);
}
