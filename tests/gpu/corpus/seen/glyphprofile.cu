// Language guessing: texts are cut into pieces of 1 KB; how often each of an alphabet's 36 signs is in a piece is
// its profile. A thread counts one sign of one piece, four bytes at a time.
// usage: glyphprofile pieces alphabets
#include "common.h"

#define SIGNS 36
#define PIECE 1024
#define QUADS (PIECE / 16)
#define PITCH (QUADS + 1)    // of a piece in shared memory, in uint4
#ifdef GOOD
#define TOGETHER 8           // pieces of a block
#else
#define TOGETHER 1
#endif
#define THREADS (TOGETHER * SIGNS)

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline unsigned charsOf(unsigned word)
{
    unsigned h = scramble(word + 17u);
    return (0x61616161u + (h & 0x0f0f0f0fu)) ^ (h >> 4 & 0x01010101u);
}

__host__ __device__ inline unsigned signOf(unsigned alphabet, unsigned k) { return (0x5au + k + alphabet % 5u) & 127u; }

__global__ void type_texts(unsigned *text, unsigned words)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        text[i] = charsOf(i);
}

// adds one to each byte of the count where x has a zero byte (all characters are below 128)
__device__ inline void countZero(unsigned &count, unsigned x) { count += (0x80808080u - x) >> 7 & 0x01010101u; }

__global__ void profile(const uint4 *__restrict__ text, unsigned short *__restrict__ result, int pieces,
                        unsigned alphabet)
{
    __shared__ uint4 body[TOGETHER][PITCH];
    const int first = blockIdx.x * TOGETHER, here = min(TOGETHER, pieces - first);
    for (int i = threadIdx.x; i < here * QUADS; i += THREADS)
        body[i / QUADS][i % QUADS] = text[(size_t)first * QUADS + i];
    __syncthreads();
    const int p = threadIdx.x / SIGNS, sign = threadIdx.x % SIGNS;
    if (p >= here) return;
    const unsigned four = signOf(alphabet, sign) * 0x01010101u;
    unsigned total = 0;
    for (int part = 0; part < QUADS; part += QUADS / 2) {            // so that no byte of the count runs over
        unsigned count = 0;
        #pragma unroll 4
        for (int i = 0; i < QUADS / 2; ++i) {
            uint4 c = body[p][part + i];
            countZero(count, c.x ^ four);
            countZero(count, c.y ^ four);
            countZero(count, c.z ^ four);
            countZero(count, c.w ^ four);
        }
        total += (count & 255u) + (count >> 8 & 255u) + (count >> 16 & 255u) + (count >> 24);
    }
    result[(size_t)(first + p) * SIGNS + sign] = (unsigned short)total;
}

int main(int argc, char **argv)
{
    int pieces = argc > 1 ? atoi(argv[1]) : 131072;
    int alphabets = argc > 2 ? atoi(argv[2]) : 2000;
    const unsigned words = (unsigned)pieces * (PIECE / 4);
    unsigned *text; unsigned short *result;
    CK(cudaMalloc(&text, words * sizeof(unsigned)));
    CK(cudaMalloc(&result, (size_t)pieces * SIGNS * sizeof(unsigned short)));
    type_texts<<<1056, 256>>>(text, words);
    for (int a = 0; a < alphabets; ++a)
        profile<<<(pieces + TOGETHER - 1) / TOGETHER, THREADS>>>((const uint4 *)text, result, pieces, (unsigned)a);
    CK(cudaGetLastError());
    std::vector<unsigned short> r((size_t)pieces * SIGNS);
    CK(cudaMemcpy(r.data(), result, r.size() * sizeof(unsigned short), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 400; ++t) {
        int p = (int)((long long)t * (pieces - 1) / 399);
        unsigned seen[256] = {};
        for (unsigned w = 0; w < PIECE / 4; ++w) {
            unsigned c = charsOf((unsigned)p * (PIECE / 4) + w);
            for (int k = 0; k < 4; ++k) ++seen[c >> 8 * k & 255u];
        }
        for (unsigned k = 0; k < SIGNS; ++k)
            ok = ok && r[(size_t)p * SIGNS + k] == seen[signOf((unsigned)alphabets - 1, k)];
    }
    printf("piece 0, sign 10: %d times\n", r[10]);
    CK(cudaFree(text)); CK(cudaFree(result));
    return report(ok);
}
