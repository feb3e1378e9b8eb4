// Courier: parcels and weight of each of 512 delivery zones (city zones get most of them).
#include "common.h"

const int ZONES = 512;

__host__ __device__ static inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ static inline unsigned short zone_at(unsigned i)
{
    unsigned h = mix(i);
    return (unsigned short)(((h & 511) * (h >> 9 & 511)) >> 9);
}
__host__ __device__ static inline unsigned char weight_at(unsigned i) { return (unsigned char)(1 + (mix(i) >> 20) % 60); }

__global__ void scanbelt(unsigned short *zone, unsigned char *weight, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { zone[i] = zone_at(i); weight[i] = weight_at(i); }
}

__global__ void tally(const unsigned short *__restrict__ zone, const unsigned char *__restrict__ weight, int n,
                      unsigned *count, unsigned *load)
{
#ifdef GOOD
    __shared__ unsigned sc[ZONES], sl[ZONES];
    for (int z = threadIdx.x; z < ZONES; z += blockDim.x) sc[z] = sl[z] = 0;
    __syncthreads();
#else
    unsigned *sc = count, *sl = load;
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int z = zone[i];
        atomicAdd(&sc[z], 1u);
        atomicAdd(&sl[z], (unsigned)weight[i]);
    }
#ifdef GOOD
    __syncthreads();
    for (int z = threadIdx.x; z < ZONES; z += blockDim.x) {
        if (sc[z]) {
            atomicAdd(&count[z], sc[z]);
            atomicAdd(&load[z], sl[z]);
        }
    }
#endif
}

int main(int argc, char **argv)
{
    int shifts = argc > 1 ? atoi(argv[1]) : 200;
    const int n = 32 << 20;
    unsigned short *zone;
    unsigned char *weight;
    unsigned *bins;
    CK(cudaMalloc(&zone, n * sizeof(unsigned short)));
    CK(cudaMalloc(&weight, n));
    CK(cudaMalloc(&bins, 2 * ZONES * sizeof(unsigned)));
    scanbelt<<<n / 256, 256>>>(zone, weight, n);
    CK(cudaGetLastError());
    for (int s = 0; s < shifts; s++) {
        CK(cudaMemsetAsync(bins, 0, 2 * ZONES * sizeof(unsigned)));
        tally<<<132 * 4, 512>>>(zone, weight, n, bins, bins + ZONES);
    }
    CK(cudaGetLastError());
    std::vector<unsigned> h(2 * ZONES), c(2 * ZONES, 0);
    CK(cudaMemcpy(h.data(), bins, h.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int z = zone_at(i);
        c[z]++;
        c[ZONES + z] += weight_at(i);
    }
    CK(cudaFree(zone)); CK(cudaFree(weight)); CK(cudaFree(bins));
    return report(c == h);
}
