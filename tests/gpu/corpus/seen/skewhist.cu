// Counts of the letters of a log, in which one letter is much more common.
#include "common.h"
#ifndef GOOD
#define COPIES 1
#else
#define COPIES 32		// one for each lane
#endif
__global__ void make_log(unsigned char *s, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) { unsigned h = (unsigned)i * 2246822519u; s[i] = (h >> 28) ? ' ' : 'a' + (h >> 20) % 26; }
}
__global__ void count(const unsigned *words, size_t n, unsigned *counts)
{
    __shared__ unsigned c[128 * COPIES];
    for (int i = threadIdx.x; i < 128 * COPIES; i += blockDim.x) c[i] = 0;
    __syncthreads();
    int mine = threadIdx.x % COPIES;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned w = words[i];
        for (int k = 0; k < 4; k++)
            atomicAdd(&c[(w >> 8 * k & 127) * COPIES + mine], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 128; i += blockDim.x) {
        unsigned t = 0;
        for (int k = 0; k < COPIES; k++) t += c[i * COPIES + (k + i) % COPIES];
        if (t) atomicAdd(&counts[i], t);
    }
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 5;
    const size_t n = 512ul << 20;
    unsigned char *s; unsigned *d, h[128];
    CK(cudaMalloc(&s, n)); CK(cudaMalloc(&d, sizeof h));
    make_log<<<n / 256, 256>>>(s, n);
    for (int r = 0; r < reps; r++) {
        CK(cudaMemset(d, 0, sizeof h));
        count<<<1056, 256>>>((unsigned *)s, n / 4, d);
    }
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    size_t sum = 0;
    for (unsigned x : h) sum += x;
    printf("spaces %u\n", h[' ']);
    return report(sum == n && h[' '] > n / 16 * 14);
}
