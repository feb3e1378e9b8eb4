// Seven-card poker by simulation: each thread owns a deck, deals seven cards by a partial
// Fisher-Yates shuffle (the deck need not be put in order again) and counts flushes and pairless hands.
#include "common.h"

static const int THREADS = 128, BLOCKS = 132 * 16;

__host__ __device__ inline unsigned rnd(unsigned &s)
{
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    return s;
}

__host__ __device__ inline unsigned table_seed(unsigned t)
{
    unsigned h = t * 2654435761u + 0x1234567u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13; h *= 0x85EBCA6Bu; h ^= h >> 16;
    return h | 1u;
}

// chances from the seven cards: suits counted in bytes, ranks in a mask
__host__ __device__ inline void judge(unsigned suits, unsigned ranks, int &flush, int &pairless)
{
    flush += ((suits + 0x03030303u) & 0x08080808u) != 0;
    int distinct = 0;
    for (unsigned r = ranks; r; r &= r - 1) ++distinct;
    pairless += distinct == 7;
}

__global__ void __launch_bounds__(THREADS) play(int hands, int2 *result)
{
    const int t = blockIdx.x * THREADS + threadIdx.x;
#ifdef GOOD
    __shared__ unsigned decks[52][THREADS];
#define DECK(i) decks[i][threadIdx.x]
#else
    unsigned char deck[52];
#define DECK(i) deck[i]
#endif
    for (int i = 0; i < 52; ++i) DECK(i) = i;
    unsigned s = table_seed(t);
    int flush = 0, pairless = 0;
    for (int h = 0; h < hands; ++h) {
        unsigned suits = 0, ranks = 0;
        for (int i = 0; i < 7; ++i) {
            int j = i + (int)(((rnd(s) >> 8) * (unsigned long long)(52 - i)) >> 24);
            unsigned c = DECK(j);
            DECK(j) = DECK(i);
            DECK(i) = c;
            suits += 1u << ((c & 3) * 8);
            ranks |= 1u << (c >> 2);
        }
        flush += ((suits + 0x03030303u) & 0x08080808u) != 0;
        pairless += __popc(ranks) == 7;
    }
    result[t] = make_int2(flush, pairless);
}

int main(int argc, char **argv)
{
    int hands = argc > 1 ? atoi(argv[1]) : 16000;
    int2 *d;
    CK(cudaMalloc(&d, sizeof(int2) * THREADS * BLOCKS));
    play<<<BLOCKS, THREADS>>>(hands, d);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<int2> r(THREADS * BLOCKS);
    CK(cudaMemcpy(r.data(), d, sizeof(int2) * r.size(), cudaMemcpyDeviceToHost));
    double flush = 0, pairless = 0, all = (double)hands * r.size();
    for (int2 v : r) { flush += v.x; pairless += v.y; }
    printf("flush %.5f pairless %.5f\n", flush / all, pairless / all);
    bool ok = close_to(flush / all, 0.030566, 5e-4) && close_to(pairless / all, 0.210150, 2e-3);

    for (int t : {0, 777, (int)r.size() - 1}) { // the same game on the CPU
        unsigned char deck[52];
        for (int i = 0; i < 52; ++i) deck[i] = (unsigned char)i;
        unsigned s = table_seed(t);
        int2 c = make_int2(0, 0);
        for (int h = 0; h < hands; ++h) {
            unsigned suits = 0, ranks = 0;
            for (int i = 0; i < 7; ++i) {
                int j = i + (int)(((rnd(s) >> 8) * (unsigned long long)(52 - i)) >> 24);
                std::swap(deck[i], deck[j]);
                suits += 1u << ((deck[i] & 3) * 8);
                ranks |= 1u << (deck[i] >> 2);
            }
            judge(suits, ranks, c.x, c.y);
        }
        ok = ok && c.x == r[t].x && c.y == r[t].y;
    }
    CK(cudaFree(d));
    return report(ok);
}
