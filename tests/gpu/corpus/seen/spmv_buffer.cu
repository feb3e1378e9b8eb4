// Repeated sparse products with cuSPARSE, set up anew each time.
#include "common.h"
#include <cusparse.h>
int main(int argc, char **argv)
{
    int iters = argc > 1 ? atoi(argv[1]) : 2000;
    const int n = 200000, per = 8;
    std::vector<int> ptr(n + 1), col(n * per);
    std::vector<float> val(n * per), x(n, 1.0f);
    for (int r = 0; r <= n; r++) ptr[r] = r * per;
    for (int i = 0; i < n * per; i++) { col[i] = (i / per + i % per * 11) % n; val[i] = 1.0f / per; }
    int *dp, *dc; float *dv, *dx, *dy;
    CK(cudaMalloc(&dp, (n + 1) * 4)); CK(cudaMalloc(&dc, col.size() * 4)); CK(cudaMalloc(&dv, val.size() * 4));
    CK(cudaMalloc(&dx, n * 4)); CK(cudaMalloc(&dy, n * 4));
    CK(cudaMemcpy(dp, ptr.data(), (n + 1) * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dc, col.data(), col.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dv, val.data(), val.size() * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice));
    cusparseHandle_t h;
    cusparseCreate(&h);
    cusparseSpMatDescr_t A; cusparseDnVecDescr_t vx, vy;
    cusparseCreateCsr(&A, n, n, col.size(), dp, dc, dv, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&vx, n, dx, CUDA_R_32F); cusparseCreateDnVec(&vy, n, dy, CUDA_R_32F);
    float one = 1, zero = 0;
    void *buf = nullptr; size_t size = 0;
#ifdef GOOD
    cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG1, &size);
    CK(cudaMalloc(&buf, size + 16));
#endif
    for (int k = 0; k < iters; k++) {
        cusparseDnVecSetValues(vx, k % 2 ? dy : dx); cusparseDnVecSetValues(vy, k % 2 ? dx : dy);
#ifndef GOOD
        cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG1, &size);
        CK(cudaMalloc(&buf, size + (1 << 20)));
#endif
        cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG1, buf);
#ifndef GOOD
        CK(cudaFree(buf));
#endif
    }
    CK(cudaMemcpy(x.data(), iters % 2 ? dy : dx, n * 4, cudaMemcpyDeviceToHost));
    printf("%.3f\n", x[7]);
    return report(close_to(x[7], 1, 1e-2));
}
