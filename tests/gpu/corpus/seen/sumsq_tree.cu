// The norm of a residual in double precision, a grid that strides and a tree in shared
// memory.
//   sumsq_tree [times] [log2 of the length]
#include "common.h"

template <typename T, int THREADS>
__global__ void norm2(const T *__restrict__ x, size_t n, double *result)
{
    __shared__ double part[THREADS];
    double sum = 0;
    for (size_t i = (blockIdx.x * (size_t)THREADS + threadIdx.x) * 2; i < n; i += (size_t)gridDim.x * THREADS * 2) {
        double2 v = *(const double2 *)&x[i];
        sum += v.x * v.x + v.y * v.y;
    }
    unsigned t = threadIdx.x;
    part[t] = sum;
    __syncthreads();
#ifndef GOOD
    for (unsigned s = 1; s < THREADS; s *= 2) {
        if (t % (2 * s) == 0) part[t] += part[t + s];
        __syncthreads();
    }
#else
    for (unsigned s = THREADS / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
#endif
    if (t == 0) atomicAdd(result, part[0]);
}

__global__ void residual(double *x, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = (double)(i % 1000) * 1e-3;
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 60;
    size_t n = (size_t)1 << (argc > 2 ? atoi(argv[2]) : 28);
    double *x, *result, h, want = 0;
    CK(cudaMalloc(&x, n * sizeof(double)));
    CK(cudaMalloc(&result, sizeof h));
    residual<<<1056, 256>>>(x, n);
    for (int t = 0; t < times; t++) {
        CK(cudaMemsetAsync(result, 0, sizeof h));
        norm2<double, 256><<<1056, 256>>>(x, n, result);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(&h, result, sizeof h, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) want += (double)(i % 1000) * (double)(i % 1000) * 1e-6;
    printf("norm %.6f\n", sqrt(h));
    return report(close_to(h, want, 1e-9));
}
