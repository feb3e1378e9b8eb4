// Analysis of a backgammon game in its running phase: for each recorded position,
// the moves are played out at random many times, and wins and lengths are tallied.
#include "common.h"

const int POSITIONS = 400, MOVES = 64, TRIALS = 1 << 15, ROUNDS = 24;

struct Position { int mine[MOVES]; int theirs; unsigned seed; };
struct Tally { int wins, rolls; };

__host__ __device__ inline unsigned next(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

__host__ __device__ inline int roll(unsigned &s)
{
    const unsigned r = next(s);
    const int a = 1 + (int)(((r & 0xffff) * 6) >> 16), b = 1 + (int)(((r >> 16) * 6) >> 16);
    return (a + b) << (a == b);
}

__host__ __device__ inline void play(const Position &p, int move, int trial, int &won, int &length)
{
    unsigned s = (p.seed + (unsigned)(move * TRIALS + trial)) * 2654435761u | 1u;
    int mine = p.mine[move], theirs = p.theirs, mineAt = ROUNDS, theirsAt = ROUNDS;
    for (int k = ROUNDS; k > 0; k--) {
        // both race on to the end; the round of bearing off is kept
        mine -= roll(s);
        theirs -= roll(s);
        mineAt -= mine <= 0;
        theirsAt -= theirs <= 0;
    }
    won = mineAt <= theirsAt;
    length = won ? mineAt : theirsAt;
}

__global__ void play_out(const Position *position, unsigned char *won, int *length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int w, l;
    play(*position, i / TRIALS, i % TRIALS, w, l);
    won[i] = (unsigned char)w;
    length[i] = l;
}

__global__ void count_up(const unsigned char *won, const int *length, Tally *tally)
{
    __shared__ int wins, rolls;
    if (threadIdx.x == 0) wins = rolls = 0;
    __syncthreads();
    const uchar4 *w4 = (const uchar4 *)(won + (size_t)blockIdx.x * TRIALS);
    const int4 *l4 = (const int4 *)(length + (size_t)blockIdx.x * TRIALS);
    int w = 0, l = 0;
    for (int k = threadIdx.x; k < TRIALS / 4; k += blockDim.x) {
        const uchar4 a = w4[k];
        const int4 b = l4[k];
        w += a.x + a.y + a.z + a.w;
        l += b.x + b.y + b.z + b.w;
    }
    for (int d = 16; d; d /= 2) {
        w += __shfl_xor_sync(0xffffffffu, w, d);
        l += __shfl_xor_sync(0xffffffffu, l, d);
    }
    if (threadIdx.x % 32 == 0) { atomicAdd(&wins, w); atomicAdd(&rolls, l); }
    __syncthreads();
    if (threadIdx.x == 0) tally[blockIdx.x] = {wins, rolls};
}

int main(int argc, char **argv)
{
    const int positions = argc > 1 ? atoi(argv[1]) : POSITIONS;
    const size_t games = (size_t)MOVES * TRIALS;
    std::vector<Position> record(positions);
    unsigned s = 64;
    for (Position &p : record) {
        p.theirs = 60 + (int)(lcg(s) >> 27);
        for (int &m : p.mine) m = 60 + (int)(lcg(s) >> 27);
        p.seed = lcg(s);
    }
    Position *dRecord;
    Tally *dTally;
    CK(cudaMalloc(&dRecord, positions * sizeof(Position)));
    CK(cudaMalloc(&dTally, (size_t)positions * MOVES * sizeof(Tally)));
    CK(cudaMemcpy(dRecord, record.data(), positions * sizeof(Position), cudaMemcpyHostToDevice));
    unsigned char *won;
    int *length;
#ifdef GOOD
    CK(cudaMalloc(&won, games));
    CK(cudaMalloc(&length, games * sizeof(int)));
#endif
    for (int p = 0; p < positions; p++) {
#ifndef GOOD
        CK(cudaMalloc(&won, games));
        CK(cudaMalloc(&length, games * sizeof(int)));
#endif
        play_out<<<(unsigned)(games / 256), 256>>>(dRecord + p, won, length);
        count_up<<<MOVES, 1024>>>(won, length, dTally + (size_t)p * MOVES);
#ifndef GOOD
        CK(cudaFree(won));
        CK(cudaFree(length));
#endif
    }
    CK(cudaGetLastError());
    std::vector<Tally> tally((size_t)positions * MOVES);
    CK(cudaMemcpy(tally.data(), dTally, tally.size() * sizeof(Tally), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int p = 0; p < positions; p += 29) {
        const int move = (p * 7) % MOVES;
        Tally ref = {0, 0};
        for (int k = 0; k < TRIALS; k++) {
            int w, l;
            play(record[p], move, k, w, l);
            ref.wins += w;
            ref.rolls += l;
        }
        const Tally &t = tally[(size_t)p * MOVES + move];
        ok = ok && t.wins == ref.wins && t.rolls == ref.rolls;
    }
    return report(ok);
}
