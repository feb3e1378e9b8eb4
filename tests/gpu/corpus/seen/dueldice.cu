// Balancing a dice game: a lot of duels are played out against a wound table, to see how often a hero of a given
// toughness falls within 200 blows. Block-wide the table is in shared memory, sized for the largest rule set.
// usage: dueldice duels heroes
#include "common.h"

#define BLOWS 200
#define WOUNDS 1024          // entries of this rule set
#define THREADS 128
#ifdef GOOD
#define TABLE WOUNDS
#else
#define TABLE 38400          // entries of the rule set with all extensions
#endif

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

struct Duel { unsigned dice, falls; int life, rage; };

__host__ __device__ inline void blow(Duel &d, const int *wound, int toughness)
{
    d.dice = d.dice * 1664525u + 1013904223u;
    unsigned roll = (d.dice >> 13) + (unsigned)(d.life * 7 + d.rage);
    int hit = wound[roll % WOUNDS] - toughness + (d.rage >> 2);
    hit = hit > 1 ? hit : 1;
    d.rage = (d.rage + hit * 3) & 31;
    d.life -= hit;
    if (d.life <= 0) { d.life += 100; ++d.falls; }
}

__host__ __device__ inline Duel newDuel(unsigned i, unsigned hero)
{
    Duel d;
    d.dice = scramble(i * 64u + hero);
    d.falls = 0; d.life = 100; d.rage = (int)(i & 7u);
    return d;
}

__global__ void play(const int *__restrict__ wounds, unsigned char *__restrict__ falls, int n, unsigned hero,
                     int toughness)
{
    extern __shared__ int table[];
    for (int i = threadIdx.x; i < WOUNDS; i += THREADS) table[i] = wounds[i];
    __syncthreads();
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    Duel d = newDuel((unsigned)i, hero);
    #pragma unroll 4
    for (int b = 0; b < BLOWS; ++b) blow(d, table, toughness);
    falls[i] = (unsigned char)d.falls;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1081344;
    int heroes = argc > 2 ? atoi(argv[2]) : 1500;
    unsigned s = 6;
    std::vector<int> wound(WOUNDS);
    for (auto &w : wound) w = (int)(lcg(s) >> 20) % 24;
    int *wounds; unsigned char *falls;
    CK(cudaMalloc(&wounds, WOUNDS * sizeof(int)));
    CK(cudaMalloc(&falls, n));
    CK(cudaMemcpy(wounds, wound.data(), WOUNDS * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaFuncSetAttribute(play, cudaFuncAttributeMaxDynamicSharedMemorySize, TABLE * sizeof(int)));
    int toughness = 0;
    for (int h = 0; h < heroes; ++h) {
        toughness = h % 12;
        play<<<(n + THREADS - 1) / THREADS, THREADS, TABLE * sizeof(int)>>>(wounds, falls, n, (unsigned)h, toughness);
    }
    CK(cudaGetLastError());
    std::vector<unsigned char> f(n);
    CK(cudaMemcpy(f.data(), falls, n, cudaMemcpyDeviceToHost));

    bool ok = true;
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += f[i];
    for (int t = 0; t < 3000; ++t) {
        int i = (int)((long long)t * (n - 1) / 2999);
        Duel d = newDuel((unsigned)i, (unsigned)(heroes - 1));
        for (int b = 0; b < BLOWS; ++b) blow(d, wound.data(), toughness);
        ok = ok && (unsigned char)d.falls == f[i];
    }
    printf("toughness %d: %.3f falls a duel\n", toughness, sum / n);
    CK(cudaFree(wounds)); CK(cudaFree(falls));
    return report(ok);
}
