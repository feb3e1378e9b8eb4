// Maximum of an array, block by block, then the blocks' results.
#include "common.h"
__global__ void fill(int *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = (int)((i * 2246822519u) >> 3);
}
__global__ void block_max(const int *x, int *out, int n)
{
#ifndef GOOD
    __shared__ int s[512];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] = max(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
#else
    __shared__ int s[16];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int m = i < n ? x[i] : 0;
    m = __reduce_max_sync(~0u, m);
    if (t % 32 == 0) s[t / 32] = m;
    __syncthreads();
    if (t < 32) {
        m = t < 16 ? s[t] : 0;
        m = __reduce_max_sync(~0u, m);
        if (t == 0) out[blockIdx.x] = m;
    }
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 1 << 27;
    int *x, *y, *z;
    CK(cudaMalloc(&x, n * 4ul)); CK(cudaMalloc(&y, n / 512 * 4ul)); CK(cudaMalloc(&z, 4 * 1024));
    fill<<<1056, 256>>>(x, n);
    for (int r = 0; r < reps; r++) {
        block_max<<<n / 512, 512>>>(x, y, n);
        block_max<<<n / 512 / 512, 512>>>(y, z, n / 512);
        block_max<<<1, 512>>>(z, y, n / 512 / 512);
    }
    int m, ref = 0;
    CK(cudaMemcpy(&m, y, 4, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < (unsigned)n; i++) ref = std::max(ref, (int)((i * 2246822519u) >> 3));
    printf("max %d\n", m);
    return report(m == ref);
}
