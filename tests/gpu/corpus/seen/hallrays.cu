// Room acoustics: sound particles of a source wander between the wall patches of a concert hall, losing energy at each.
// A quarter of the reflections reaches the listener; what arrives is added to an echogram of 10 ms bins.
// usage: hallrays particles sources
#include "common.h"

#define PATCHES 2097152      // power of two
#define REFLECTIONS 64
#define BINS 300             // 3 s, as long as this hall sounds
#define LONGEST 30000        // 5 min, for caverns
#define THREADS 128

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

// x: absorption (16 bits), way to the next patch in ticks of 0.1 ms (8 bits from bit 16); y: where it faces
__host__ __device__ inline uint2 patchOf(unsigned i)
{
    uint2 p;
    unsigned h = scramble(i + 17u);
    p.x = (1500u + (h & 8191u)) | (60u + (h >> 13) % 190u) << 16;
    p.y = scramble(h);
    return p;
}

__global__ void build(uint2 *patch)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    patch[i] = patchOf(i);
}

template <class Hear> __host__ __device__ inline void wander(const uint2 *patch, unsigned particle, unsigned source, Hear hear)
{
    unsigned at = scramble(particle * 31u + source) & (PATCHES - 1), energy = 65535u, ticks = 0;
    for (int k = 0; k < REFLECTIONS; ++k) {
        uint2 p = patch[at];
        energy = energy * (65536u - (p.x & 0xffffu)) >> 16;
        ticks += p.x >> 16;
        unsigned h = (p.y ^ particle) * 0x9e3779b1u;
        at = (h ^ h >> 15) & (PATCHES - 1);
        if (h >> 30 == 0u) hear(ticks, energy);
    }
}

__global__ void trace(const uint2 *__restrict__ patch, unsigned *echo, unsigned particles, unsigned source)
{
    extern __shared__ unsigned heard[];
    for (int b = threadIdx.x; b < BINS; b += THREADS) heard[b] = 0;
    __syncthreads();
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < particles)
        wander(patch, i, source, [&](unsigned ticks, unsigned energy) {
            unsigned b = ticks / 100u;
            if (b < BINS) atomicAdd(&heard[b], energy >> 6);
        });
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += THREADS)
        if (heard[b]) atomicAdd(&echo[b], heard[b]);
}

int main(int argc, char **argv)
{
    const unsigned particles = argc > 1 ? atoi(argv[1]) : 270336;
    const int sources = argc > 2 ? atoi(argv[2]) : 2400;
#ifdef GOOD
    const int bytes = BINS * sizeof(unsigned);
#else
    const int bytes = LONGEST * sizeof(unsigned);
#endif
    CK(cudaFuncSetAttribute(trace, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    uint2 *patch; unsigned *echo;
    CK(cudaMalloc(&patch, PATCHES * sizeof(uint2)));
    CK(cudaMalloc(&echo, (size_t)sources * BINS * sizeof(unsigned)));
    CK(cudaMemset(echo, 0, (size_t)sources * BINS * sizeof(unsigned)));
    build<<<PATCHES / 256, 256>>>(patch);
    for (int s = 0; s < sources; ++s)
        trace<<<(particles + THREADS - 1) / THREADS, THREADS, bytes>>>(patch, echo + (size_t)s * BINS, particles, (unsigned)s);
    CK(cudaGetLastError());
    std::vector<unsigned> got((size_t)sources * BINS), want(BINS, 0);
    CK(cudaMemcpy(got.data(), echo, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));

    std::vector<uint2> table(PATCHES);
    for (unsigned i = 0; i < PATCHES; ++i) table[i] = patchOf(i);
    for (unsigned i = 0; i < particles; ++i)
        wander(table.data(), i, (unsigned)(sources - 1), [&](unsigned ticks, unsigned energy) {
            if (ticks / 100u < BINS) want[ticks / 100u] += energy >> 6;
        });
    bool ok = want[10] > 0;
    for (int b = 0; b < BINS; ++b) ok = ok && got[(size_t)(sources - 1) * BINS + b] == want[b];
    printf("energy after 0.1 s and 0.5 s: %u %u\n", want[10], want[50]);
    CK(cudaFree(patch)); CK(cudaFree(echo));
    return report(ok);
}
