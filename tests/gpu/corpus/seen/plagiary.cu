// Plagiarism detector: smallest rolling fingerprint (24-letter shingles, modulo a prime) of four million essays.
#include "common.h"

typedef unsigned long long u64;
const int LEN = 1024, SHINGLE = 24;
const u64 P31 = 2147483647ull, BASE = 1000003ull;

__host__ __device__ static inline unsigned char letter(unsigned doc, unsigned pos)
{
    unsigned h = doc * 2654435761u + pos * 40503u;
    h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 13;
    return (unsigned char)('a' + (h >> 8) % 26);
}

// text is stored letter by letter: text[pos * docs + doc]
__global__ void typeset(unsigned char *text, int docs)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d < docs) text[(size_t)blockIdx.y * docs + d] = letter(d, blockIdx.y);
}

__device__ __forceinline__ u64 reduce(u64 x, u64 p)
{
#ifdef GOOD
    x = (x & P31) + (x >> 31);      // 2^31 - 1 is a Mersenne prime
    x = (x & P31) + (x >> 31);
    return x >= P31 ? x - P31 : x;
#else
    return x % p;
#endif
}

__global__ void fingerprint(const unsigned char *__restrict__ text, unsigned *__restrict__ print, int docs,
                            int len, u64 base, u64 top, u64 p)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= docs) return;
    const unsigned char *t = text + d;
    u64 h = 0;
    for (int i = 0; i < SHINGLE; i++) h = reduce(h * base + t[(size_t)i * docs], p);
    u64 best = h;
    for (int i = SHINGLE; i < len; i++) {
        u64 in = t[(size_t)i * docs], out = t[(size_t)(i - SHINGLE) * docs];
        u64 gone = reduce(out * top, p);
        h = reduce(h * base + in + (P31 - gone), p);
        best = h < best ? h : best;
    }
    print[d] = (unsigned)best;
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 1;
    const int docs = 1 << 22;
    unsigned char *text;
    unsigned *print;
    CK(cudaMalloc(&text, (size_t)docs * LEN));
    CK(cudaMalloc(&print, docs * sizeof(unsigned)));
    typeset<<<dim3(docs / 256, LEN), 256>>>(text, docs);
    CK(cudaGetLastError());
    u64 top = 1;
    for (int i = 0; i < SHINGLE; i++) top = top * BASE % P31;
    for (int k = 0; k < passes; k++) fingerprint<<<docs / 256, 256>>>(text, print, docs, LEN, BASE, top, P31);
    CK(cudaGetLastError());
    std::vector<unsigned> h(docs);
    CK(cudaMemcpy(h.data(), print, docs * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int d = 0; d < docs; d += 4001) {
        u64 best = P31;
        u64 f = 0;
        for (int i = 0; i < LEN; i++) {
            f = (f * BASE + letter(d, i)) % P31;
            if (i >= SHINGLE) f = (f + P31 - letter(d, i - SHINGLE) * top % P31) % P31;
            if (i >= SHINGLE - 1) best = std::min(best, f);
        }
        if (h[d] != (unsigned)best) ok = false;
    }
    CK(cudaFree(text)); CK(cudaFree(print));
    return report(ok);
}
