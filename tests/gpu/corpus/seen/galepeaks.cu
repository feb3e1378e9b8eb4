// Wind mast: the strongest gust from each of eight sectors of the compass, over years of 20 Hz readings.
//   galepeaks [masts]
#include "common.h"

#define SECTORS 8

__host__ __device__ static inline unsigned hash3(unsigned x)
{
    x ^= x >> 17; x *= 0xed5ad4bbu; x ^= x >> 11; x *= 0xac4c1b51u; x ^= x >> 15;
    return x;
}

/* upper half: azimuth in 1/65536 turns, lower half: speed in cm/s */
__host__ __device__ static inline unsigned reading(unsigned i)
{
    unsigned h = hash3(i), az = h >> 16;
    if ((h & 7) < 5) az = 0x9000 + (az & 0x0fff);
    unsigned g = hash3(h), speed = ((g & 1023) * ((g >> 10) & 1023) >> 8) + (g >> 27);
    return az << 16 | speed;
}

__global__ void log_wind(unsigned *w, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) w[i] = reading(i);
}

__device__ __forceinline__ void note(unsigned *peak, unsigned w)
{
    unsigned s = w >> 29, v = w & 0xffff;
#ifdef GOOD
    if (v > *(volatile unsigned *)&peak[s]) atomicMax(&peak[s], v);
#else
    atomicMax(&peak[s], v);
#endif
}

__global__ void gusts(const uint4 *__restrict__ w, unsigned quads, unsigned *top)
{
    __shared__ unsigned peak[SECTORS];
    if (threadIdx.x < SECTORS) peak[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uint4 q = w[i];
        note(peak, q.x);
        note(peak, q.y);
        note(peak, q.z);
        note(peak, q.w);
    }
    __syncthreads();
    if (threadIdx.x < SECTORS) atomicMax(&top[threadIdx.x], peak[threadIdx.x]);
}

int main(int argc, char **argv)
{
    int masts = argc > 1 ? atoi(argv[1]) : 2500;
    const unsigned n = 100800004;
    unsigned *w, *top, h[SECTORS], want[SECTORS] = { 0 };
    CK(cudaMalloc(&w, n * sizeof(unsigned)));
    CK(cudaMalloc(&top, sizeof h));
    log_wind<<<132 * 8, 256>>>(w, n);
    CK(cudaGetLastError());
    for (int m = 0; m < masts; m++) {
        CK(cudaMemsetAsync(top, 0, sizeof h));
        gusts<<<132 * 8, 256>>>((const uint4 *)w, n / 4, top);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h, top, sizeof h, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++) {
        unsigned r = reading(i);
        want[r >> 29] = std::max(want[r >> 29], r & 0xffff);
    }
    bool ok = true;
    for (int s = 0; s < SECTORS; s++) {
        printf("sector %d: %.2f m/s\n", s, h[s] * 0.01);
        ok = ok && h[s] == want[s];
    }
    cudaFree(w);
    cudaFree(top);
    return report(ok);
}
