// Shannon entropy of short windows: for each of a million sensors the last 256 samples (five bits each, four samples
// packed into a word, stored time-major) are counted into 32 bins of the sensor's own, and the entropy is taken.
#include "common.h"

#define BINS 32
#define SAMPLES 256
#define THREADS 128

__host__ __device__ static inline unsigned packed(unsigned s, unsigned w)
{
    unsigned h = s * 0x9E3779B1u + w * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    unsigned spread = 0x1f1f1f1fu >> (s % 3);                    // some sensors use fewer of the levels
    return h & spread & 0x1f1f1f1fu;
}

__global__ void sample(unsigned *x, int sensors)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sensors) return;
    for (int w = 0; w < SAMPLES / 4; w++) x[(size_t)w * sensors + s] = packed(s, w);
}

__global__ void entropy(const unsigned *__restrict__ x, int sensors, float *__restrict__ bits)
{
    int s = blockIdx.x * THREADS + threadIdx.x;
#ifdef GOOD
    __shared__ int count[BINS * THREADS];                        // bin b of this thread at b*THREADS + thread
    int *mine = count + threadIdx.x;
    const int pitch = THREADS;
#else
    int mine[BINS];
    const int pitch = 1;
#endif
    for (int b = 0; b < BINS; b++) mine[b * pitch] = 0;
    if (s >= sensors) return;
#pragma unroll 4
    for (int w = 0; w < SAMPLES / 4; w++) {
        unsigned v = x[(size_t)w * sensors + s];
        mine[(v & 31u) * pitch]++;
        mine[(v >> 8 & 31u) * pitch]++;
        mine[(v >> 16 & 31u) * pitch]++;
        mine[(v >> 24 & 31u) * pitch]++;
    }
    float e = 0;
    for (int b = 0; b < BINS; b++) {
        float c = (float)mine[b * pitch];
        if (c > 0) e += c * __log2f(c);
    }
    bits[s] = 8.0f - e / SAMPLES;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 200;
    const int sensors = argc > 2 ? atoi(argv[2]) : 1 << 20;
    unsigned *x;
    float *bits;
    CK(cudaMalloc(&x, (size_t)sensors * SAMPLES));
    CK(cudaMalloc(&bits, sensors * sizeof(float)));
    sample<<<(sensors + 255) / 256, 256>>>(x, sensors);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++)
        entropy<<<(sensors + THREADS - 1) / THREADS, THREADS>>>(x, sensors, bits);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(sensors);
    CK(cudaMemcpy(h.data(), bits, sensors * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int s = 1; s < sensors; s += 1 + sensors / 500) {
        int c[BINS] = {};
        for (int w = 0; w < SAMPLES / 4; w++) {
            unsigned v = packed(s, w);
            for (int k = 0; k < 4; k++) c[v >> (8 * k) & 31u]++;
        }
        double e = 0;
        for (int b = 0; b < BINS; b++) if (c[b]) e -= c[b] / 256.0 * log2(c[b] / 256.0);
        if (fabs(h[s] - e) > 1e-3) ok = false;
    }
    printf("entropy of sensor 0: %.4f bits\n", h[0]);
    CK(cudaFree(x));
    CK(cudaFree(bits));
    return report(ok);
}
