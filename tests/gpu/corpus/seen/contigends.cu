// Genome assembly: for every read the best overlapping partner is looked for among its candidates (reads that
// share a seed with it). A read has 128 bases of 2 bits. Reads out of repeats have very many candidates; they
// stand together, as the reads come sorted by their contig.
// usage: contigends reads rounds
#include "common.h"

#define WORDS 4
#define SHIFTS 64
typedef unsigned long long Word;

struct Read { Word w[WORDS]; };

__host__ __device__ inline int popcount(Word x)
{
#ifdef __CUDA_ARCH__
    return __popcll(x);
#else
    return __builtin_popcountll(x);
#endif
}

// best number of equal bases when b is laid over a, moved by 0 .. SHIFTS-1 bases
__host__ __device__ inline int bestShift(Read a, const Read &b, int minLen)
{
    int best = 0;
    for (int s = 0; s < SHIFTS; ++s) {
        int len = WORDS * 32 - s, diff = 0;
        #pragma unroll
        for (int k = 0; k < WORDS; ++k) {
            Word x = a.w[k] ^ b.w[k];
            diff += popcount((x | (x >> 1)) & 0x5555555555555555ull);
        }
        diff -= s / 2;                                   // the empty end does not count fully
        if (len >= minLen && len - diff > best) best = len - diff;
        #pragma unroll
        for (int k = 0; k < WORDS - 1; ++k) a.w[k] = (a.w[k] >> 2) | (a.w[k + 1] << 62);
        a.w[WORDS - 1] >>= 2;
    }
    return best;
}

__global__ void find_partner(const Read *__restrict__ reads, const int *__restrict__ first,
                             const int *__restrict__ cand, unsigned *partner, int n, int minLen)
{
    __shared__ unsigned best;
#ifdef GOOD
    for (int r = blockIdx.x; r < n; r += gridDim.x) {
#else
    int share = (n + gridDim.x - 1) / gridDim.x;
    int last = min(n, (int)(blockIdx.x + 1) * share);
    for (int r = blockIdx.x * share; r < last; ++r) {
#endif
        if (threadIdx.x == 0) best = 0;
        __syncthreads();
        Read mine = reads[r];
        unsigned top = 0;
        for (int i = first[r] + threadIdx.x; i < first[r + 1]; i += blockDim.x) {
            unsigned score = (unsigned)bestShift(mine, reads[cand[i]], minLen);
            top = max(top, (score << 20) | (unsigned)(0xfffff - cand[i]));
        }
        atomicMax(&best, top);
        __syncthreads();
        if (threadIdx.x == 0) partner[r] = best;
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 60000;            // less than a million
    int rounds = argc > 2 ? atoi(argv[2]) : 60;
    int blocks = argc > 3 ? atoi(argv[3]) : 1056;
    unsigned s = 99;
    std::vector<Read> reads(n);
    for (auto &r : reads)
        for (int k = 0; k < WORDS; ++k) {
            Word hi = lcg(s) >> 8, mid = lcg(s) >> 8, lo = lcg(s) >> 8;
            r.w[k] = hi << 40 | mid << 20 | lo;
        }
    std::vector<int> first(n + 1, 0), cand;
    int repeatFrom = (int)(n * 0.81), repeatTo = repeatFrom + n / 40;
    for (int r = 0; r < n; ++r) {
        int c = 116 + (int)(lcg(s) >> 16) % 13;
        if (r >= repeatFrom && r < repeatTo) c = 5800 + (int)(lcg(s) >> 16) % 400;
        first[r + 1] = first[r] + c;
    }
    cand.resize(first[n]);
    for (auto &c : cand) c = (int)((lcg(s) >> 8) % (unsigned)n);

    Read *dr; int *df, *dc; unsigned *dp;
    CK(cudaMalloc(&dr, n * sizeof(Read)));
    CK(cudaMalloc(&df, (n + 1) * sizeof(int)));
    CK(cudaMalloc(&dc, cand.size() * sizeof(int)));
    CK(cudaMalloc(&dp, n * sizeof(unsigned)));
    CK(cudaMemcpy(dr, reads.data(), n * sizeof(Read), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(df, first.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dc, cand.data(), cand.size() * sizeof(int), cudaMemcpyHostToDevice));
    int minLen = 70;
    for (int k = 0; k < rounds; ++k) {
        minLen = 70 + k % 30;
        find_partner<<<blocks, 128>>>(dr, df, dc, dp, n, minLen);
    }
    CK(cudaGetLastError());
    std::vector<unsigned> p(n);
    CK(cudaMemcpy(p.data(), dp, n * sizeof(unsigned), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int r : {0, 1, n / 2, repeatFrom, repeatTo - 1, n - 1}) {
        unsigned top = 0;
        for (int i = first[r]; i < first[r + 1]; ++i)
            top = std::max(top, ((unsigned)bestShift(reads[r], reads[cand[i]], minLen) << 20)
                                | (unsigned)(0xfffff - cand[i]));
        ok = ok && p[r] == top;
    }
    printf("read 0 joins read %d (%u bases)\n", 0xfffff - (int)(p[0] & 0xfffff), p[0] >> 20);
    CK(cudaFree(dr)); CK(cudaFree(df)); CK(cudaFree(dc)); CK(cudaFree(dp));
    return report(ok);
}
