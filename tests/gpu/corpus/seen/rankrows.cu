// Robust ranking of sensor channels: for each channel 24 readings are sorted and the trimmed mean of the
// middle twelve is kept. Every thread sorts the readings of one channel in its own piece of shared memory.
#include "common.h"

#define READS 24
#define CHAN 128                  // channels (threads) per block
#ifdef GOOD
#define ROW (READS + 1)
#else
#define ROW READS
#endif

__host__ __device__ static inline float reading(unsigned c, unsigned k)
{
    unsigned h = c * 0x9E3779B1u + k * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    return (h >> 8) * (1.0f / 16777216.0f);
}

__global__ void acquire(float *raw, int channels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < channels * READS) raw[i] = reading(i / READS, i % READS);
}

__global__ void trimmed(const float *__restrict__ raw, float *__restrict__ mean)
{
    __shared__ float s[CHAN * ROW];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * CHAN * READS;
    for (int i = t; i < CHAN * READS; i += CHAN)
        s[(i / READS) * ROW + i % READS] = raw[base + i];
    __syncthreads();

    float *a = s + t * ROW;
    for (int gap = READS / 2; gap > 0; gap /= 2)               // comb passes, then odd-even transposition to the end
        for (int i = 0; i + gap < READS; i++) {
            float u = a[i], v = a[i + gap];
            a[i] = fminf(u, v);
            a[i + gap] = fmaxf(u, v);
        }
    bool moved = true;
    while (moved) {
        moved = false;
        for (int i = 0; i + 1 < READS; i++) {
            float u = a[i], v = a[i + 1];
            if (u > v) { a[i] = v; a[i + 1] = u; moved = true; }
        }
    }
    float sum = 0;
    for (int i = READS / 4; i < 3 * READS / 4; i++) sum += a[i];
    mean[(size_t)blockIdx.x * CHAN + t] = sum * (2.0f / READS);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 250;
    const int channels = argc > 2 ? atoi(argv[2]) : 1 << 20;      // a multiple of CHAN
    float *raw, *mean;
    CK(cudaMalloc(&raw, (size_t)channels * READS * sizeof(float)));
    CK(cudaMalloc(&mean, channels * sizeof(float)));
    acquire<<<channels * READS / 256, 256>>>(raw, channels);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++)
        trimmed<<<channels / CHAN, CHAN>>>(raw, mean);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(channels);
    CK(cudaMemcpy(h.data(), mean, channels * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c = 1; c < channels; c += 509) {
        float v[READS];
        for (int k = 0; k < READS; k++) v[k] = reading(c, k);
        std::sort(v, v + READS);
        double m = 0;
        for (int k = READS / 4; k < 3 * READS / 4; k++) m += v[k];
        if (!close_to(h[c], m * 2 / READS, 1e-5)) ok = false;
    }
    printf("channel 0: %.5f\n", h[0]);
    CK(cudaFree(raw));
    CK(cudaFree(mean));
    return report(ok);
}
