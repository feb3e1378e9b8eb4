/* The triad of STREAM: a = b + q * c, in double precision. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef GOOD
#define BLOCK 128
#else
#define BLOCK 512
#endif
#define WAVES (2048 / BLOCK)

static void die_unless_ok(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
        exit(1);
    }
}
#define OK(e) die_unless_ok((e), __LINE__)

__global__ void set(double *a, double *b, double *c, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        a[i] = 0;
        b[i] = 1.0 + (double)(i % 10);
        c[i] = 2.0;
    }
}

__global__ void triad(double2 *__restrict__ a, const double2 *__restrict__ b, const double2 *__restrict__ c, double q, size_t n2)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n2; i += (size_t)gridDim.x * blockDim.x) {
        double2 x = b[i], y = c[i];
        a[i] = make_double2(x.x + q * y.x, x.y + q * y.y);
    }
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 100, sms = 0;
    size_t n = (size_t)1 << (argc > 2 ? atoi(argv[2]) : 26), i, bad = 0;
    double *a, *b, *c, *h = (double *)malloc(n * sizeof(double));
    cudaEvent_t begin, end;
    float ms;
    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaMalloc((void **)&a, n * sizeof(double)));
    OK(cudaMalloc((void **)&b, n * sizeof(double)));
    OK(cudaMalloc((void **)&c, n * sizeof(double)));
    set<<<sms * WAVES, BLOCK>>>(a, b, c, n);
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(begin));
    for (int t = 0; t < times; t++) triad<<<sms * WAVES, BLOCK>>>((double2 *)a, (const double2 *)b, (const double2 *)c, 3.0, n / 2);
    OK(cudaEventRecord(end));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&ms, begin, end));
    OK(cudaMemcpy(h, a, n * sizeof(double), cudaMemcpyDeviceToHost));
    for (i = 0; i < n; i++) bad += h[i] != 7.0 + (double)(i % 10);
    printf("%.0f GB/s, %zu wrong\n", 3.0 * n * sizeof(double) * times / ms / 1e6, bad);
    return bad != 0;
}
