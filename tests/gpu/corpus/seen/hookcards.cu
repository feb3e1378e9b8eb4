// Textile industry: wear of a Jacquard machine with 512 hooks. The design is kept as a library of punched cards
// (512 bits each); a production plan names a card for every pick. How often is a hook of each group of 32 lifted?
//   hookcards [plans]
#include "common.h"

#define WORDS 16                     // of 32 hooks each
#define CARDS (1u << 23)
#define PICKS (1u << 24)
#ifdef GOOD
#define HEADER 32                    // words in front of the first card: 5 used, the rest is padding
#else
#define HEADER 5                     // words: magic, hooks, cards, loom, date
#endif
#define PER_WARP 128                 // picks a warp takes at a time

__host__ __device__ inline unsigned stir(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline unsigned punched(unsigned card, unsigned word)
{
    unsigned h = stir(card * WORDS + word);
    return word & 1 ? h & stir(h + 1u) : h;
}
__host__ __device__ inline unsigned card_of(unsigned pick) { return stir(pick + 0x5bd1e995u) % CARDS; }

__global__ void punch(unsigned *library, unsigned *plan)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < CARDS * WORDS; i += gridDim.x * blockDim.x)
        library[HEADER + i] = punched(i / WORDS, i % WORDS);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < PICKS; i += gridDim.x * blockDim.x) plan[i] = card_of(i);
    if (blockIdx.x == 0 && threadIdx.x < 5) library[threadIdx.x] = 512 + threadIdx.x;
}

__global__ void __launch_bounds__(256) lifts(const unsigned *__restrict__ library, const unsigned *__restrict__ plan, unsigned long long *wear)
{
    __shared__ unsigned part[8][WORDS];
    const unsigned lane = threadIdx.x % 32, word = lane % WORDS, half = lane / WORDS;
    const unsigned warp = blockIdx.x * 8 + threadIdx.x / 32, warps = gridDim.x * 8;
    const unsigned *cards = library + HEADER + word;
    unsigned count = 0;
    for (unsigned first = warp * PER_WARP; first < PICKS; first += warps * PER_WARP)
        for (unsigned b = 0; b < PER_WARP; b += 32) {
            unsigned mine = plan[first + b + lane];
            #pragma unroll
            for (unsigned k = 0; k < 16; ++k) {
                unsigned card = __shfl_sync(0xffffffffu, mine, 2 * k + half);
                count += __popc(cards[card * WORDS]);
            }
        }
    count += __shfl_down_sync(0xffffffffu, count, WORDS);
    if (half == 0) part[threadIdx.x / 32][word] = count;
    __syncthreads();
    if (threadIdx.x < WORDS) {
        unsigned sum = 0;
        for (int w = 0; w < 8; ++w) sum += part[w][threadIdx.x];
        atomicAdd(&wear[threadIdx.x], (unsigned long long)sum);
    }
}

int main(int argc, char **argv)
{
    int plans = argc > 1 ? atoi(argv[1]) : 1600;
    unsigned *library, *plan;
    unsigned long long *wear;
    CK(cudaMalloc(&library, (HEADER + (size_t)CARDS * WORDS) * sizeof(unsigned)));
    CK(cudaMalloc(&plan, PICKS * sizeof(unsigned)));
    CK(cudaMalloc(&wear, WORDS * sizeof(*wear)));
    CK(cudaMemset(wear, 0, WORDS * sizeof(*wear)));
    punch<<<132 * 8, 256>>>(library, plan);
    for (int p = 0; p < plans; ++p) lifts<<<132 * 6, 256>>>(library, plan, wear);
    CK(cudaGetLastError());
    unsigned long long w[WORDS];
    CK(cudaMemcpy(w, wear, sizeof(w), cudaMemcpyDeviceToHost));

    // one of the groups is counted again here, over all picks
    bool ok = true;
    for (unsigned g : { 9u }) {
        unsigned long long once = 0;
        for (unsigned i = 0; i < PICKS; ++i) once += __builtin_popcount(punched(card_of(i), g));
        ok = ok && w[g] == once * plans;
    }
    printf("group 0 was lifted %llu times\n", w[0]);
    CK(cudaFree(library));
    CK(cudaFree(plan));
    CK(cudaFree(wear));
    return report(ok);
}
