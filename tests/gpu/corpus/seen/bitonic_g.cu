// Bitonic sort of 2^24 keys.
#include "common.h"
__global__ void init(unsigned *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i * 2654435761u ^ (i >> 7); }
__device__ void exchange(unsigned &x, unsigned &y, bool up) { if ((x > y) == up) { unsigned t = x; x = y; y = t; } }
__global__ void bitonic_step(unsigned *a, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int l = i ^ j;
    if (l > i) {
        unsigned x = a[i], y = a[l];
        if ((x > y) == ((i & k) == 0)) { a[i] = y; a[l] = x; }
    }
}
// All strides below 1024 of stage k in shared memory.
__global__ void bitonic_tail(unsigned *a, int j0, int k)
{
    __shared__ unsigned s[2048];
    int base = blockIdx.x * 2048, t = threadIdx.x;
    s[t] = a[base + t]; s[t + 1024] = a[base + t + 1024];
    for (int j = j0; j; j >>= 1) {
        __syncthreads();
        int i = 2 * t - (t & (j - 1));
        exchange(s[i], s[i + j], ((base + i) & k) == 0);
    }
    __syncthreads();
    a[base + t] = s[t]; a[base + t + 1024] = s[t + 1024];
}
__global__ void disorder(const unsigned *a, int n, int *wrong) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i && i < n && a[i - 1] > a[i]) *wrong = 1; }
int main(int argc, char **argv)
{
    int lg = argc > 1 ? atoi(argv[1]) : 24;
    int n = 1 << lg;
    unsigned *d;
    CK(cudaMalloc(&d, n * 4ul));
    init<<<n / 256, 256>>>(d, n);
    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
#ifdef GOOD
            if (j <= 1024) { bitonic_tail<<<n / 2048, 1024>>>(d, j, k); break; }
#endif
            bitonic_step<<<n / 256, 256>>>(d, j, k);
        }
    }
    int *wrong, h;
    CK(cudaMalloc(&wrong, 4)); CK(cudaMemset(wrong, 0, 4));
    disorder<<<n / 256, 256>>>(d, n, wrong);
    CK(cudaMemcpy(&h, wrong, 4, cudaMemcpyDeviceToHost));
    bool ok = h == 0;
    return report(ok);
}
