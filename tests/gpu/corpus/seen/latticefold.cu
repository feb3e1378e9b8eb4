// Protein folding on a cubic lattice (HP model): for every sequence some chains of 32 residues are grown at random; the
// contacts of hydrophobic residues count, clashes are punished, and the best score is kept.
// usage: latticefold sequences rounds
#include "common.h"

#define LENGTH 32
#define TRIALS 4
#define THREADS 128
#ifdef GOOD
#define PITCH (LENGTH + 1)
#else
#define PITCH LENGTH
#endif

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

// a place on the lattice is one number: x + 1024 y + 1048576 z
__host__ __device__ inline int stepOf(unsigned h)
{
    unsigned axis = (h & 0xffu) % 3u;
    int s = axis == 0 ? 1 : axis == 1 ? 1024 : 1048576;
    return h & 0x100u ? s : -s;
}

__host__ __device__ inline bool neighbours(int d)
{
    d = d < 0 ? -d : d;
    return d == 1 || d == 1024 || d == 1048576;
}

__host__ __device__ inline int fold(int *place, unsigned hydrophobic, unsigned seed)
{
    int at = 512 + 512 * 1024 + 512 * 1048576;
    for (int k = 0; k < LENGTH; ++k) {
        place[k] = at;
        at += stepOf(scramble(seed + (unsigned)k));
    }
    int score = 0;
    #pragma unroll 1
    for (int i = 0; i < LENGTH - 2; ++i) {
        const int mine = place[i];
        const unsigned greasy = hydrophobic >> i & 1u ? hydrophobic : 0u;
        #pragma unroll 8
        for (int j = i + 2; j < LENGTH; ++j) {
            int d = mine - place[j];
            if (neighbours(d)) score += (int)(greasy >> j & 1u);
            if (d == 0) score -= 2;
        }
    }
    return score;
}

__global__ void __launch_bounds__(THREADS) grow(const unsigned *__restrict__ sequence, int *__restrict__ best, unsigned n,
                                                unsigned round)
{
    __shared__ int places[THREADS * PITCH];
    int *place = places + threadIdx.x * PITCH;           // only ours
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    const unsigned hydrophobic = sequence[i];
    int top = -1000;
    for (int t = 0; t < TRIALS; ++t) {
        int s = fold(place, hydrophobic, scramble(round * TRIALS + t) ^ i * 0x9e3779b9u);
        top = s > top ? s : top;
    }
    best[i] = top;
}

int main(int argc, char **argv)
{
    const unsigned n = argc > 1 ? atoi(argv[1]) : 135168;
    const int rounds = argc > 2 ? atoi(argv[2]) : 800;
    std::vector<unsigned> sequence(n);
    for (unsigned i = 0; i < n; ++i) sequence[i] = scramble(i) | scramble(i + 12345u) >> 3;
    unsigned *dsequence; int *best;
    CK(cudaMalloc(&dsequence, n * sizeof(unsigned)));
    CK(cudaMalloc(&best, n * sizeof(int)));
    CK(cudaMemcpy(dsequence, sequence.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int r = 0; r < rounds; ++r) grow<<<(n + THREADS - 1) / THREADS, THREADS>>>(dsequence, best, n, (unsigned)r);
    CK(cudaGetLastError());
    std::vector<int> got(n);
    CK(cudaMemcpy(got.data(), best, n * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    int place[LENGTH];
    for (int q = 0; q < 3000; ++q) {
        unsigned i = (unsigned)((long long)q * (n - 1) / 2999);
        int top = -1000;
        for (unsigned t = 0; t < TRIALS; ++t)
            top = std::max(top, fold(place, sequence[i], scramble((unsigned)(rounds - 1) * TRIALS + t) ^ i * 0x9e3779b9u));
        ok = ok && got[i] == top;
        mean += top / 3000.0;
    }
    printf("mean best score: %.3f\n", mean);
    CK(cudaFree(dsequence)); CK(cudaFree(best));
    return report(ok);
}
