// DUST scores of sequencing reads: sum over all 64 trinucleotides of c (c - 1) / 2.
// Reads of 256 bases, two bits a base; word after word, the reads side by side.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define HANDLE(x) handle((x), __FILE__, __LINE__)
static void handle(cudaError_t err, const char *file, int line)
{
    if (err != cudaSuccess) {
        fprintf(stderr, "%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}

constexpr int WORDS = 16, BASES = 16 * WORDS, BLOCK = 128;

// Every ninth read is a repeat of few letters.
__host__ __device__ inline uint32_t read_word(uint32_t read, int w)
{
    uint32_t h = (read * 16 + w) * 2654435761u;
    h ^= h >> 16; h *= 2246822519u; h ^= h >> 13;
    return read % 9 == 0 ? h & 0x11111111u : h;
}

__global__ void make_reads(uint32_t *reads, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n)
        for (int w = 0; w < WORDS; w++) reads[(size_t)w * n + r] = read_word(r, w);
}

__global__ void __launch_bounds__(BLOCK) dust(const uint32_t *__restrict__ reads, int *__restrict__ score, int n)
{
    int r = blockIdx.x * BLOCK + threadIdx.x;
#ifndef GOOD
    int count[64];
#define COUNT(k) count[k]
#else
    __shared__ int count[64][BLOCK];
#define COUNT(k) count[k][threadIdx.x]
#endif
    if (r >= n) return;
    for (int k = 0; k < 64; k++) COUNT(k) = 0;
    unsigned triplet = 0;
    int total = 0;
    for (int w = 0; w < WORDS; w++) {
        uint32_t bases = reads[(size_t)w * n + r];
        for (int b = 0; b < 16; b++) {
            triplet = (triplet << 2 | (bases & 3)) & 63;
            bases >>= 2;
            if (w > 0 || b >= 2) total += COUNT(triplet)++;
        }
    }
    score[r] = total;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8 << 20, times = argc > 2 ? atoi(argv[2]) : 1;
    uint32_t *reads;
    int *score;
    HANDLE(cudaMalloc(&reads, (size_t)n * WORDS * 4));
    HANDLE(cudaMalloc(&score, (size_t)n * 4));
    make_reads<<<(n + 255) / 256, 256>>>(reads, n);
    for (int t = 0; t < times; t++) dust<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(reads, score, n);
    HANDLE(cudaGetLastError());
    std::vector<int> h(n);
    HANDLE(cudaMemcpy(h.data(), score, (size_t)n * 4, cudaMemcpyDeviceToHost));
    long low = 0;
    int wrong = 0;
    for (int r = 0; r < n; r++) low += h[r] > 2000;
    for (int r = 0; r < n; r += n / 2000 + 1) {
        int count[64] = {}, want = 0;
        unsigned t = 0;
        for (int b = 0; b < BASES; b++) {
            t = (t << 2 | (read_word(r, b / 16) >> (2 * (b % 16)) & 3)) & 63;
            if (b >= 2) count[t]++;
        }
        for (int c : count) want += c * (c - 1) / 2;
        wrong += want != h[r];
    }
    printf("%ld reads of low complexity, %d wrong scores\n", low, wrong);
    return wrong > 0 || low == 0;
}
