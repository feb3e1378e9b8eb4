// Key of every passage of a library of scores: the notes of a passage are counted by pitch class, and the counts
// compared with the profiles of the 24 keys. One thread per passage of 64 notes, four notes in a word.
// usage: tonikey kilopassages transpositions
#include "common.h"

#define WORDS 16             // of a passage
#define THREADS 128

static const float profiles[2][12] = {
    { 6.35f, 2.23f, 3.48f, 2.33f, 4.38f, 4.09f, 2.52f, 5.19f, 2.39f, 3.66f, 2.29f, 2.88f },
    { 6.33f, 2.68f, 3.52f, 5.38f, 2.60f, 3.53f, 2.54f, 4.75f, 3.98f, 2.69f, 3.34f, 3.17f } };
__constant__ float profile[2][12];

__host__ __device__ inline unsigned notesOf(unsigned passage, int word)
{
    const unsigned scale = 0x0b975420u;                  // semitones of the major scale and the root again
    unsigned h = (passage * WORDS + word) * 2654435761u, q = 0;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    for (int b = 0; b < 4; ++b) {
        unsigned step = (h >> (3 * b)) & 7u, octave = (h >> (12 + 2 * b)) & 3u;
        q |= (36u + passage % 12u + 12u * octave + ((scale >> (4 * step)) & 15u)) << (8 * b);
    }
    return q;
}

__global__ void write_scores(unsigned *notes, int passages)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < passages) notes[(size_t)blockIdx.y * passages + p] = notesOf(p, blockIdx.y);
}

__global__ void __launch_bounds__(THREADS) find_key(const unsigned *__restrict__ notes, unsigned char *__restrict__ key,
                                                    int passages, unsigned up)
{
#ifdef GOOD
    __shared__ int counts[12 * THREADS];                 // a column for each thread
#define COUNT(k) counts[(k) * THREADS + threadIdx.x]
#else
    int counts[12];
#define COUNT(k) counts[k]
#endif
    const int p = blockIdx.x * THREADS + threadIdx.x;
    if (p >= passages) return;
#pragma unroll
    for (int k = 0; k < 12; ++k) COUNT(k) = 0;
#pragma unroll 4
    for (int w = 0; w < WORDS; ++w) {
        unsigned q = notes[(size_t)w * passages + p];
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            unsigned pitch = ((q >> (8 * b)) & 255u) + up;
            COUNT(pitch % 12u)++;
        }
    }
    float c[12];
#pragma unroll
    for (int k = 0; k < 12; ++k) c[k] = (float)COUNT(k);
    float best = -1.0f;
    int which = 0;
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
        for (int root = 0; root < 12; ++root) {
            float s = 0.0f;
#pragma unroll
            for (int k = 0; k < 12; ++k) s += profile[m][k] * c[(k + root) % 12];
            if (s > best) { best = s; which = 12 * m + root; }
        }
    key[p] = (unsigned char)which;
}

int main(int argc, char **argv)
{
    int passages = (argc > 1 ? atoi(argv[1]) : 2048) * 1024;
    int transpositions = argc > 2 ? atoi(argv[2]) : 2000;
    unsigned *notes; unsigned char *key;
    CK(cudaMalloc(&notes, (size_t)passages * WORDS * sizeof(unsigned)));
    CK(cudaMalloc(&key, passages));
    CK(cudaMemcpyToSymbol(profile, profiles, sizeof profiles));
    write_scores<<<dim3((passages + 255) / 256, WORDS), 256>>>(notes, passages);
    unsigned up = 0;
    for (int t = 0; t < transpositions; ++t) {
        up = (unsigned)(t * 7 % 12);
        find_key<<<(passages + THREADS - 1) / THREADS, THREADS>>>(notes, key, passages, up);
    }
    CK(cudaGetLastError());
    std::vector<unsigned char> k(passages);
    CK(cudaMemcpy(k.data(), key, passages, cudaMemcpyDeviceToHost));
    bool ok = true;
    int right = 0, looked = 0;
    for (int p = 0; p < passages; p += 499) {
        int c[12] = { 0 };
        for (int w = 0; w < WORDS; ++w)
            for (int b = 0; b < 4; ++b) c[(((notesOf(p, w) >> (8 * b)) & 255u) + up) % 12u]++;
        double score[24], best = 0;
        for (int a = 0; a < 24; ++a) {
            score[a] = 0;
            for (int i = 0; i < 12; ++i) score[a] += (double)profiles[a / 12][i] * c[(i + a % 12) % 12];
            best = std::max(best, score[a]);
        }
        ok = ok && k[p] < 24 && score[k[p] % 24] >= best - 1e-2;
        right += k[p] == (p % 12 + (int)up) % 12;
        looked++;
    }
    printf("%d of %d passages are in the key that they were written in\n", right, looked);
    CK(cudaFree(notes)); CK(cudaFree(key));
    return report(ok && right > looked / 5);
}
