// Cholesky factors of very many small matrices, a thread each.
#include "common.h"
#define N 12
#ifndef GOOD
#define A(i, j) a[(size_t)m * N * N + (i) * N + (j)]	/* matrix after matrix */
#else
#define A(i, j) a[((size_t)(i) * N + (j)) * count + m]	/* element after element */
#endif
__global__ void init(float *a, int count)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count) return;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) A(i, j) = i == j ? N + m % 3 : 0.5f;
}
__global__ void cholesky(float *a, int count)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count) return;
    for (int j = 0; j < N; j++) {
        float d = A(j, j);
        for (int k = 0; k < j; k++) d -= A(j, k) * A(j, k);
        d = sqrtf(d);
        A(j, j) = d;
        for (int i = j + 1; i < N; i++) {
            float s = A(i, j);
            for (int k = 0; k < j; k++) s -= A(i, k) * A(j, k);
            A(i, j) = s / d;
        }
    }
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int count = 1 << 21;
    float *a;
    CK(cudaMalloc(&a, (size_t)count * N * N * 4));
    float d = 0;
    for (int r = 0; r < reps; r++) {
        init<<<count / 256, 256>>>(a, count);
        cholesky<<<count / 256, 256>>>(a, count);
    }
    CK(cudaMemcpy(&d, a, 4, cudaMemcpyDeviceToHost));
    printf("%.5f\n", d);
    return report(close_to(d, sqrt(12.0), 1e-5));
}
