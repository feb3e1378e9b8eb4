// Inclusive prefix sum of a long array of ints.
#include "common.h"
__global__ void init(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i % 3; }
#ifndef GOOD
__global__ void scan_step(const int *in, int *out, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i >= d ? in[i] + in[i - d] : in[i];
}
#else
__device__ int block_scan(int v, int *w)
{
    int lane = threadIdx.x & 31, k = threadIdx.x >> 5;
    for (int o = 1; o < 32; o <<= 1) { int u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
    if (lane == 31) w[k] = v;
    __syncthreads();
    if (k == 0) {
        int u = w[lane];
        for (int o = 1; o < 32; o <<= 1) { int q = __shfl_up_sync(~0u, u, o); if (lane >= o) u += q; }
        w[lane] = u;
    }
    __syncthreads();
    return k ? v + w[k - 1] : v;
}
__global__ void scan_blocks(const int *in, int *out, int *sums, int n)
{
    __shared__ int w[32];
    int i = blockIdx.x * 1024 + threadIdx.x;
    int v = block_scan(i < n ? in[i] : 0, w);
    if (i < n) out[i] = v;
    if (threadIdx.x == 1023) sums[blockIdx.x] = v;
}
__global__ void add_sums(int *out, const int *sums, int n)
{
    int i = blockIdx.x * 1024 + threadIdx.x;
    if (i < n && blockIdx.x) out[i] += sums[blockIdx.x - 1];
}
static void scan(const int *in, int *out, int *sums, int n)
{
    int blocks = (n + 1023) / 1024;
    scan_blocks<<<blocks, 1024>>>(in, out, sums, n);
    if (blocks > 1) {
        scan(sums, sums, sums + blocks, blocks);
        add_sums<<<blocks, 1024>>>(out, sums, n);
    }
}
#endif
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    const int n = 1 << 27;
    int *a, *b, *c;
    CK(cudaMalloc(&a, n * 4ul)); CK(cudaMalloc(&b, n * 4ul)); CK(cudaMalloc(&c, n * 4ul));
    init<<<n / 256, 256>>>(a, n);
    int *res = b;
    for (int r = 0; r < reps; r++) {
#ifndef GOOD
        int *from = a, *to = b, *other = c;
        for (int d = 1; d < n; d *= 2) {
            scan_step<<<n / 256, 256>>>(from, to, n, d);
            from = to; to = other; other = from;
            res = from;
        }
#else
        scan(a, b, c, n);
#endif
    }
    int last;
    CK(cudaMemcpy(&last, res + n - 1, 4, cudaMemcpyDeviceToHost));
    long ref = 0;
    for (int i = 0; i < n; i++) ref += i % 3;
    printf("%d\n", last);
    return report(last == (int)ref);
}
