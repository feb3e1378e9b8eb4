// Sum and count of the positive samples of a long signal.
#include "common.h"
__global__ void fill(float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = ((i * 2654435761u) >> 16) / 65536.0f - 0.5f;
}
__global__ void positive(const float *x, int n, float *sum, unsigned *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef GOOD
    if (i < n && x[i] > 0) {
        atomicAdd(sum, x[i]);
        atomicAdd(count, 1u);
    }
#else
    float s = 0; unsigned c = 0;
    for (; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];
        if (v > 0) { s += v; c++; }
    }
    for (int o = 16; o; o >>= 1) { s += __shfl_down_sync(~0u, s, o); c += __shfl_down_sync(~0u, c, o); }
    __shared__ float ss[32]; __shared__ unsigned sc[32];
    int w = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) { ss[w] = s; sc[w] = c; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++) { s += ss[k]; c += sc[k]; }
        atomicAdd(sum, s); atomicAdd(count, c);
    }
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int n = 1 << 26;
    float *x, *sum; unsigned *count;
    CK(cudaMalloc(&x, n * 4ul)); CK(cudaMalloc(&sum, 4)); CK(cudaMalloc(&count, 4));
    fill<<<1056, 256>>>(x, n);
    for (int r = 0; r < reps; r++) {
        CK(cudaMemset(sum, 0, 4)); CK(cudaMemset(count, 0, 4));
#ifndef GOOD
        positive<<<n / 256, 256>>>(x, n, sum, count);
#else
        positive<<<1056, 256>>>(x, n, sum, count);
#endif
    }
    unsigned c;
    CK(cudaMemcpy(&c, count, 4, cudaMemcpyDeviceToHost));
    unsigned ref = 0;
    for (unsigned i = 0; i < n; i++) ref += ((i * 2654435761u) >> 16) > 32768;
    printf("%u positive\n", c);
    return report(c == ref);
}
