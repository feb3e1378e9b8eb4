// Solar telescope: area and brightness of six temperature classes of the corona in a stack of 12-bit frames.
#include "common.h"

const int CLASSES = 6;

__host__ __device__ static inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ static inline unsigned short dn_at(unsigned i)
{
    unsigned h = mix(i), v = h & 4095;
    return (unsigned short)((h >> 12 & 15) < 9 ? v >> 5 : v);       // most of the disk is quiet
}
__host__ __device__ static inline int class_of(int v)
{
    return v < 150 ? 0 : v < 700 ? 1 : v < 1500 ? 2 : v < 2400 ? 3 : v < 3300 ? 4 : 5;
}

__global__ void expose(unsigned short *dn, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dn[i] = dn_at(i);
}

__global__ void classify(const ushort2 *__restrict__ dn, int pairs, unsigned long long *area, unsigned long long *flux)
{
    __shared__ unsigned sa[CLASSES], sf[CLASSES];
    if (threadIdx.x < CLASSES) sa[threadIdx.x] = sf[threadIdx.x] = 0;
    __syncthreads();
#ifdef GOOD
    unsigned a[CLASSES] = {}, f[CLASSES] = {};
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        ushort2 p = dn[i];
        int c0 = class_of(p.x), c1 = class_of(p.y);
#ifdef GOOD
#pragma unroll
        for (int c = 0; c < CLASSES; c++) {
            if (c0 == c) { a[c]++; f[c] += p.x; }
            if (c1 == c) { a[c]++; f[c] += p.y; }
        }
#else
        atomicAdd(&sa[c0], 1u);
        atomicAdd(&sf[c0], (unsigned)p.x);
        atomicAdd(&sa[c1], 1u);
        atomicAdd(&sf[c1], (unsigned)p.y);
#endif
    }
#ifdef GOOD
#pragma unroll
    for (int c = 0; c < CLASSES; c++) {
        unsigned ta = __reduce_add_sync(0xffffffffu, a[c]), tf = __reduce_add_sync(0xffffffffu, f[c]);
        if ((threadIdx.x & 31) == 0) {
            atomicAdd(&sa[c], ta);
            atomicAdd(&sf[c], tf);
        }
    }
#endif
    __syncthreads();
    if (threadIdx.x < CLASSES) {
        atomicAdd(&area[threadIdx.x], (unsigned long long)sa[threadIdx.x]);
        atomicAdd(&flux[threadIdx.x], (unsigned long long)sf[threadIdx.x]);
    }
}

int main(int argc, char **argv)
{
    int stacks = argc > 1 ? atoi(argv[1]) : 300;
    const int n = 4096 * 4096 * 4;
    unsigned short *dn;
    unsigned long long *out;
    CK(cudaMalloc(&dn, n * sizeof(unsigned short)));
    CK(cudaMalloc(&out, 2 * CLASSES * sizeof(unsigned long long)));
    expose<<<n / 256, 256>>>(dn, n);
    CK(cudaGetLastError());
    for (int s = 0; s < stacks; s++) {
        CK(cudaMemsetAsync(out, 0, 2 * CLASSES * sizeof(unsigned long long)));
        classify<<<132 * 8, 256>>>((const ushort2 *)dn, n / 2, out, out + CLASSES);
    }
    CK(cudaGetLastError());
    std::vector<unsigned long long> h(2 * CLASSES), c(2 * CLASSES, 0);
    CK(cudaMemcpy(h.data(), out, h.size() * sizeof(unsigned long long), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int v = dn_at(i), k = class_of(v);
        c[k]++;
        c[CLASSES + k] += v;
    }
    for (int k = 0; k < CLASSES; k++) printf("class %d: %llu px, %llu DN\n", k, h[k], h[CLASSES + k]);
    CK(cudaFree(dn)); CK(cudaFree(out));
    return report(h == c);
}
