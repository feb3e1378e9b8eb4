// Recommender: scores of all items for a batch of users, by cuBLAS.  The
// item matrix is far larger than the L2 cache.
#include "common.h"
#include <cublas_v2.h>

#define CB(call) do { cublasStatus_t s_ = (call); if (s_ != CUBLAS_STATUS_SUCCESS) { \
    fprintf(stderr, "%s:%d: cublas %d\n", __FILE__, __LINE__, (int)s_); exit(1); } } while (0)

__global__ void fill(float *p, size_t n, unsigned salt)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned s = ((unsigned)i + salt) * 2654435761u;
        s ^= s >> 15; s *= 2246822519u; s ^= s >> 13;
        p[i] = (s & 0xffff) * (1.0f / 65536.0f) - 0.5f;
    }
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 250;
    const int items = 200000, dim = 512, users = 16;
    float *mat, *usr, *score;
    CK(cudaMalloc(&mat, (size_t)items * dim * sizeof(float)));       // dim x items, column-major
    CK(cudaMalloc(&usr, (size_t)users * dim * sizeof(float)));
    CK(cudaMalloc(&score, (size_t)items * users * sizeof(float)));
    fill<<<1024, 256>>>(mat, (size_t)items * dim, 1);
    fill<<<32, 256>>>(usr, (size_t)users * dim, 99991);
    CK(cudaGetLastError());

    cublasHandle_t h;
    CB(cublasCreate(&h));
    const float one = 1.0f, zero = 0.0f;
    for (int b = 0; b < batches; b++) {
#ifdef GOOD
        CB(cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, items, users, dim, &one, mat, dim, usr, dim, &zero, score, items));
#else
        for (int u = 0; u < users; u++)
            CB(cublasSgemv(h, CUBLAS_OP_T, dim, items, &one, mat, dim, usr + (size_t)u * dim, 1,
                           &zero, score + (size_t)u * items, 1));
#endif
    }
    CK(cudaDeviceSynchronize());

    std::vector<float> hu((size_t)users * dim), col(dim), got(1);
    CK(cudaMemcpy(hu.data(), usr, hu.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 50; t++) {
        int it = (int)((long long)t * 3999 % items), u = t % users;
        CK(cudaMemcpy(col.data(), mat + (size_t)it * dim, dim * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(got.data(), score + (size_t)u * items + it, sizeof(float), cudaMemcpyDeviceToHost));
        double s = 0;
        for (int d = 0; d < dim; d++) s += (double)col[d] * hu[(size_t)u * dim + d];
        if (!close_to(got[0], s, 1e-3)) ok = false;
    }
    CB(cublasDestroy(h));
    CK(cudaFree(mat)); CK(cudaFree(usr)); CK(cudaFree(score));
    return report(ok);
}
