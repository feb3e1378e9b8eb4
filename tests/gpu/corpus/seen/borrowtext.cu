// Linguistics: which texts have borrowed from each other? Every text is 256 shingles (hashed runs of words); for each
// of 128 hash functions (a x + b) mod p the smallest value over the shingles is kept (the MinHash signature).
//   borrowtext [corpora]
#include "common.h"

#define TEXTS 16384
#define SHINGLES 256
#define FUNCTIONS 128
#define PRIME 2147483647u            // 2^31 - 1

typedef unsigned long long u64;

__host__ __device__ inline unsigned blend(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
// a third of the shingles of a text are those of the text before it
__host__ __device__ inline unsigned shingle_of(unsigned text, unsigned s)
{
    unsigned t = s % 3u == 0u ? text / 2u : text + 100000u;
    return blend(t * SHINGLES + s) % PRIME;
}
__host__ __device__ inline unsigned multiplier(unsigned f) { return 1u + blend(2u * f + 7u) % (PRIME - 1u); }
__host__ __device__ inline unsigned offset_of(unsigned f) { return blend(2u * f + 8u) % PRIME; }

__global__ void hash_words(unsigned *shingles)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < TEXTS * SHINGLES) shingles[i] = shingle_of(i / SHINGLES, i % SHINGLES);
}

#ifdef GOOD
// remainder by 2^31 - 1: the upper bits are added to the lower ones, twice
__device__ __forceinline__ unsigned reduced(u64 v, unsigned)
{
    unsigned r = ((unsigned)v & PRIME) + (unsigned)(v >> 31);
    r = (r & PRIME) + (r >> 31);
    return r == PRIME ? 0u : r;
}
#else
__device__ __forceinline__ unsigned reduced(u64 v, unsigned p) { return (unsigned)(v % p); }
#endif

// a block for each text, a thread for each hash function
__global__ void __launch_bounds__(FUNCTIONS) sign_texts(const unsigned *__restrict__ shingles, unsigned *__restrict__ signature, unsigned p)
{
    __shared__ unsigned words[SHINGLES];
    for (unsigned s = threadIdx.x; s < SHINGLES; s += FUNCTIONS) words[s] = shingles[blockIdx.x * SHINGLES + s];
    __syncthreads();
    const u64 a = multiplier(threadIdx.x);
    const unsigned b = offset_of(threadIdx.x);
    unsigned least = 0xffffffffu;
    #pragma unroll 4
    for (unsigned s = 0; s < SHINGLES; ++s) least = min(least, reduced(a * words[s] + b, p));
    signature[blockIdx.x * FUNCTIONS + threadIdx.x] = least;
}

int main(int argc, char **argv)
{
    int corpora = argc > 1 ? atoi(argv[1]) : 250;
    unsigned *shingles, *signature;
    CK(cudaMalloc(&shingles, TEXTS * SHINGLES * sizeof(unsigned)));
    CK(cudaMalloc(&signature, TEXTS * FUNCTIONS * sizeof(unsigned)));
    hash_words<<<TEXTS * SHINGLES / 256, 256>>>(shingles);
    for (int c = 0; c < corpora; ++c) sign_texts<<<TEXTS, FUNCTIONS>>>(shingles, signature, PRIME);
    CK(cudaGetLastError());
    std::vector<unsigned> sig(TEXTS * FUNCTIONS);
    CK(cudaMemcpy(sig.data(), signature, sig.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned i = 0; i < sig.size(); i += 1027) {
        unsigned text = i / FUNCTIONS, f = i % FUNCTIONS, least = 0xffffffffu;
        for (unsigned s = 0; s < SHINGLES; ++s)
            least = std::min(least, (unsigned)(((u64)multiplier(f) * shingle_of(text, s) + offset_of(f)) % PRIME));
        ok = ok && sig[i] == least;
    }
    unsigned alike = 0;
    for (unsigned t = 0; t + 1 < TEXTS; t += 2)
        for (unsigned f = 0; f < FUNCTIONS; ++f) alike += sig[t * FUNCTIONS + f] == sig[(t + 1) * FUNCTIONS + f];
    printf("likeness of neighbours: %.3f\n", alike / (0.5 * TEXTS * FUNCTIONS));
    CK(cudaFree(shingles));
    CK(cudaFree(signature));
    return report(ok);
}
