// Codon usage of a metagenome: one byte per codon, six bits of codon and two of read
// quality, which weighs the count.  Low-complexity stretches make one codon frequent.
#include "common.h"

#ifndef CODONS
#define CODONS (160u << 20)
#endif

static __host__ __device__ inline unsigned codon_word(unsigned k)   // four codons
{
    unsigned u = k * 2654435761u;
    u ^= u >> 15; u *= 2246822519u; u ^= u >> 13; u *= 3266489917u; u ^= u >> 16;
    unsigned w = u;
    unsigned s = u * 747796405u + 2891336453u;
    s ^= s >> 17;
    for (int b = 0; b < 4; b++)
        if (((s >> (8 * b)) & 15u) < 5u) w &= ~(0x3fu << (8 * b));   // poly-A
    return w;
}

__global__ void sequence(unsigned *w, unsigned n)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) w[k] = codon_word(k);
}

__global__ void usage(const uint4 *__restrict__ seq, unsigned n16, unsigned *counts)
{
#ifdef GOOD
    int lane = threadIdx.x & 31;
    __shared__ unsigned h[64 * 32];          // one column per lane
#define SLOT(c) ((c) * 32 + lane)
    const int words = 64 * 32;
#else
    __shared__ unsigned h[64];
#define SLOT(c) (c)
    const int words = 64;
#endif
    for (int q = threadIdx.x; q < words; q += blockDim.x) h[q] = 0;
    __syncthreads();
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n16; k += gridDim.x * blockDim.x) {
        uint4 v = seq[k];
        unsigned w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int q = 0; q < 4; q++) {
#pragma unroll
            for (int b = 0; b < 32; b += 8) {
                unsigned c = (w[q] >> b) & 63u, quality = (w[q] >> (b + 6)) & 3u;
                atomicAdd(&h[SLOT(c)], 1u + quality);
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        unsigned s = 0;
        for (int q = 0; q < words / 64; q++) s += h[threadIdx.x * (words / 64) + ((q + threadIdx.x) & (words / 64 - 1))];
        atomicAdd(&counts[threadIdx.x], s);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 400;
    unsigned words = CODONS / 4;
    int dev, sms;
    CK(cudaGetDevice(&dev));
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    unsigned *seq, *counts;
    CK(cudaMalloc(&seq, (size_t)words * 4));
    CK(cudaMalloc(&counts, 64 * sizeof(unsigned)));
    sequence<<<(words + 255) / 256, 256>>>(seq, words);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) {
        CK(cudaMemsetAsync(counts, 0, 64 * sizeof(unsigned)));
        usage<<<sms * 8, 256>>>((const uint4 *)seq, CODONS / 16, counts);
    }
    CK(cudaGetLastError());
    unsigned got[64];
    CK(cudaMemcpy(got, counts, sizeof got, cudaMemcpyDeviceToHost));

    std::vector<unsigned> ref(64, 0);
    for (unsigned k = 0; k < words; k++) {
        unsigned w = codon_word(k);
        for (int b = 0; b < 4; b++) ref[(w >> (8 * b)) & 63u] += 1u + ((w >> (8 * b + 6)) & 3u);
    }
    bool ok = true;
    for (int c = 0; c < 64; c++) ok = ok && got[c] == ref[c];
    printf("AAA: %.3f per codon\n", got[0] / (double)CODONS);
    CK(cudaFree(seq)); CK(cudaFree(counts));
    return report(ok);
}
