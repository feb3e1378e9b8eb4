// Dialect atlas: distance of every two villages as the sum, over all words of the questionnaire, of the edit distances of
// their pronunciations (exchange within vowels or consonants costs 1, otherwise 3; insertions cost a little more or less).
// usage: vowelmaps villages words surveys
#include "common.h"

#define LONGEST 12
#define THREADS 128

// a word: twelve phones of a byte (bit 7: vowel) and the length
struct alignas(16) Word { unsigned phones[3], length; };

__host__ __device__ inline int exchange(unsigned a, unsigned b)
{
    return a == b ? 0 : ((a ^ b) & 128u) ? 3 : 1;
}

#ifdef GOOD
__device__ inline int distance(const Word a, const Word b, int insertion)
{
    int row[LONGEST + 1];
    unsigned pb[LONGEST];
    #pragma unroll
    for (int j = 0; j < LONGEST; ++j) pb[j] = b.phones[j / 4] >> j % 4 * 8 & 255u;
    #pragma unroll
    for (int j = 0; j <= LONGEST; ++j) row[j] = j * insertion;
    unsigned p0 = a.phones[0], p1 = a.phones[1], p2 = a.phones[2];
    #pragma unroll 1
    for (unsigned i = 0; i < a.length; ++i) {
        const unsigned pa = p0 & 255u;
        p0 = p0 >> 8 | p1 << 24;
        p1 = p1 >> 8 | p2 << 24;
        p2 >>= 8;
        int corner = row[0];
        row[0] += insertion;
        #pragma unroll
        for (int j = 0; j < LONGEST; ++j) {
            int best = min(min(row[j], row[j + 1]) + insertion, corner + exchange(pa, pb[j]));
            corner = row[j + 1];
            row[j + 1] = best;
        }
    }
    int d = 0;
    #pragma unroll
    for (int j = 1; j <= LONGEST; ++j) d = (unsigned)j == b.length ? row[j] : d;
    return d;
}
#else
__device__ inline int distance(const Word a, const Word b, int insertion)
{
    int row[LONGEST + 1];
    unsigned char pa[LONGEST], pb[LONGEST];
    for (unsigned i = 0; i < a.length; ++i) pa[i] = (unsigned char)(a.phones[i / 4] >> i % 4 * 8);
    for (unsigned j = 0; j < b.length; ++j) pb[j] = (unsigned char)(b.phones[j / 4] >> j % 4 * 8);
    for (unsigned j = 0; j <= b.length; ++j) row[j] = (int)j * insertion;
    for (unsigned i = 0; i < a.length; ++i) {
        int corner = row[0];
        row[0] += insertion;
        for (unsigned j = 0; j < b.length; ++j) {
            int best = min(min(row[j], row[j + 1]) + insertion, corner + exchange(pa[i], pb[j]));
            corner = row[j + 1];
            row[j + 1] = best;
        }
    }
    return row[b.length];
}
#endif

// a block per pair of villages
__global__ void __launch_bounds__(THREADS) compare(const Word *__restrict__ atlas, const int2 *__restrict__ pairs,
                                                   int *__restrict__ result, int words, int insertion)
{
    __shared__ int part[THREADS / 32];
    const int2 p = pairs[blockIdx.x];
    int sum = 0;
    for (int w = threadIdx.x; w < words; w += THREADS)
        sum += distance(atlas[(size_t)p.x * words + w], atlas[(size_t)p.y * words + w], insertion);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < THREADS / 32; ++k) sum += part[k];
        result[blockIdx.x] = sum;
    }
}

static int slowDistance(const Word &a, const Word &b, int insertion)
{
    int t[LONGEST + 1][LONGEST + 1];
    for (unsigned i = 0; i <= a.length; ++i)
        for (unsigned j = 0; j <= b.length; ++j) {
            if (!i || !j) { t[i][j] = (int)(i + j) * insertion; continue; }
            unsigned x = a.phones[(i - 1) / 4] >> (i - 1) % 4 * 8 & 255u, y = b.phones[(j - 1) / 4] >> (j - 1) % 4 * 8 & 255u;
            t[i][j] = std::min(std::min(t[i - 1][j], t[i][j - 1]) + insertion, t[i - 1][j - 1] + exchange(x, y));
        }
    return t[a.length][b.length];
}

int main(int argc, char **argv)
{
    const int villages = argc > 1 ? atoi(argv[1]) : 92, words = argc > 2 ? atoi(argv[2]) : 512;
    const int surveys = argc > 3 ? atoi(argv[3]) : 3500;
    std::vector<Word> atlas((size_t)villages * words);
    unsigned s = 1888;
    for (int w = 0; w < words; ++w) {
        unsigned char common[LONGEST];
        for (auto &c : common) c = (unsigned char)(1 + (lcg(s) >> 24) % 20 + ((lcg(s) >> 24) % 5 < 2 ? 128 : 0));
        for (int v = 0; v < villages; ++v) {
            Word &x = atlas[(size_t)v * words + w];
            x.length = 9 + (lcg(s) >> 24) % 4;
            x.phones[0] = x.phones[1] = x.phones[2] = 0;
            for (unsigned k = 0; k < x.length; ++k) {
                unsigned c = common[k];
                if ((lcg(s) >> 24) % 4 == 0) c = (c & 128u) | (1 + (lcg(s) >> 24) % 20);
                x.phones[k / 4] |= c << k % 4 * 8;
            }
        }
    }
    std::vector<int2> pairs;
    for (int a = 0; a < villages; ++a)
        for (int b = a + 1; b < villages; ++b) pairs.push_back(make_int2(a, b));
    Word *datlas; int2 *dpairs; int *result;
    CK(cudaMalloc(&datlas, atlas.size() * sizeof(Word)));
    CK(cudaMalloc(&dpairs, pairs.size() * sizeof(int2)));
    CK(cudaMalloc(&result, pairs.size() * sizeof(int)));
    CK(cudaMemcpy(datlas, atlas.data(), atlas.size() * sizeof(Word), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dpairs, pairs.data(), pairs.size() * sizeof(int2), cudaMemcpyHostToDevice));
    for (int k = 0; k < surveys; ++k)
        compare<<<(unsigned)pairs.size(), THREADS>>>(datlas, dpairs, result, words, 2 + k % 3);
    CK(cudaGetLastError());
    std::vector<int> got(pairs.size());
    CK(cudaMemcpy(got.data(), result, got.size() * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (size_t q = 0; q < 40; ++q) {
        size_t at = q * (pairs.size() - 1) / 39;
        int want = 0;
        for (int w = 0; w < words; ++w)
            want += slowDistance(atlas[(size_t)pairs[at].x * words + w], atlas[(size_t)pairs[at].y * words + w],
                                 2 + (surveys - 1) % 3);
        ok = ok && want > 0 && got[at] == want;
    }
    printf("distance of the first two villages: %d\n", got[0]);
    CK(cudaFree(datlas)); CK(cudaFree(dpairs)); CK(cudaFree(result));
    return report(ok);
}
