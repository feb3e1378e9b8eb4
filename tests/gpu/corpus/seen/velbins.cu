// Charge-weighted speed histogram of a cold particle beam. The speeds of a beam are nearly all alike: one of the 64 bins takes
// almost every particle. Each block counts in shared memory and adds its counts to the global ones at the end.
#include "common.h"

#define BINS 64

__host__ __device__ static inline float speed_of(unsigned i)
{
    unsigned h = i * 2654435761u; h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 13;
    float u = (h >> 8) * (1.0f / 16777216.0f);
    return (h & 31u) ? 10.0f + 0.3f * u : 20.0f * u;          // 97 % of them within one bin
}
__host__ __device__ static inline int bin_of(float v)
{
    int b = (int)(v * (BINS / 20.0f));
    return b < BINS ? b : BINS - 1;
}

__host__ __device__ static inline unsigned charge_of(unsigned i) { return 1u + (i * 0x9E3779B1u >> 30); }      // 1..4, by position in the list

__global__ void beam(float4 *v, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) v[i] = make_float4(speed_of(4 * i), speed_of(4 * i + 1), speed_of(4 * i + 2), speed_of(4 * i + 3));
}

__global__ void count_speeds(const float4 *__restrict__ v, int n4, unsigned *hist)
{
#ifdef GOOD
    __shared__ unsigned h[BINS * 32];                         // a copy for each lane
    const int copies = 32, mine = threadIdx.x & 31;
#else
    __shared__ unsigned h[BINS];
    const int copies = 1, mine = 0;
#endif
    for (int i = threadIdx.x; i < BINS * copies; i += blockDim.x) h[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 a = v[i];
        atomicAdd(&h[bin_of(a.x) * copies + mine], charge_of(4u * i + 0));
        atomicAdd(&h[bin_of(a.y) * copies + mine], charge_of(4u * i + 1));
        atomicAdd(&h[bin_of(a.z) * copies + mine], charge_of(4u * i + 2));
        atomicAdd(&h[bin_of(a.w) * copies + mine], charge_of(4u * i + 3));
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned s = 0;
        for (int c = 0; c < copies; c++) s += h[b * copies + (c + b) % copies];
        if (s) atomicAdd(&hist[b], s);
    }
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 150;
    const int n = argc > 2 ? atoi(argv[2]) : 1 << 27;          // 512 MB of speeds
    float4 *v;
    unsigned *hist;
    CK(cudaMalloc(&v, (size_t)n * sizeof(float)));
    CK(cudaMalloc(&hist, BINS * sizeof(unsigned)));
    beam<<<(n / 4 + 255) / 256, 256>>>(v, n / 4);
    CK(cudaGetLastError());
    int sms = 1;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int f = 0; f < frames; f++) {
        CK(cudaMemsetAsync(hist, 0, BINS * sizeof(unsigned)));
        count_speeds<<<sms * 8, 256>>>(v, n / 4, hist);
        CK(cudaGetLastError());
    }
    unsigned got[BINS];
    CK(cudaMemcpy(got, hist, sizeof got, cudaMemcpyDeviceToHost));

    const int part = n < (1 << 22) ? n : 1 << 22;              // the first few million are counted on both sides
    CK(cudaMemsetAsync(hist, 0, BINS * sizeof(unsigned)));
    count_speeds<<<sms * 8, 256>>>(v, part / 4, hist);
    CK(cudaGetLastError());
    unsigned small[BINS];
    CK(cudaMemcpy(small, hist, sizeof small, cudaMemcpyDeviceToHost));
    std::vector<unsigned> want(BINS, 0);
    for (int i = 0; i < part; i++) want[bin_of(speed_of(i))] += charge_of(i);
    unsigned long long total = 0, sum = 0;
    for (int i = 0; i < n; i++) sum += charge_of(i);
    long long off = 0;
    for (int b = 0; b < BINS; b++) { total += got[b]; off += llabs((long long)small[b] - want[b]); }
    printf("%llu charges counted\n", total);
    CK(cudaFree(v));
    CK(cudaFree(hist));
    return report(total == sum && off < 256);   // bin edges may round differently
}
