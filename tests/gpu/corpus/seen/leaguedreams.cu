// A football league of 20 clubs: each club's season of 38 matches is played 262144 times with its chances of a win and
// a draw; wanted are the mean points and how often the club gets 70 or more.
//   leaguedreams [rounds]
#include "common.h"

const int CLUBS = 20, MATCHES = 38, SEASONS = 1 << 18, THREADS = 256;
typedef unsigned long long u64;
struct Tally { u64 points, top; };

__host__ __device__ static inline unsigned start(int club, int season, int round)
{
    unsigned h = (unsigned)season * 2654435761u ^ (unsigned)(club + 1) * 0x9e3779b9u ^ (unsigned)round * 0x85ebca6bu;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h | 1u;
}

__host__ __device__ static inline int play(unsigned s, const uint2 *odds)
{
    int points = 0;
    for (int m = 0; m < MATCHES; m++) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        uint2 o = odds[m];
        points += s < o.x ? 3 : s < o.y ? 1 : 0;
    }
    return points;
}

__global__ void __launch_bounds__(THREADS) seasons(const uint2 *__restrict__ odds, Tally *tally, int round)
{
    __shared__ uint2 mine[MATCHES];
    int club = blockIdx.x;
    if (threadIdx.x < MATCHES) mine[threadIdx.x] = odds[club * MATCHES + threadIdx.x];
    __syncthreads();
    unsigned points = 0, top = 0;
    for (int s = blockIdx.y * THREADS + threadIdx.x; s < SEASONS; s += gridDim.y * THREADS) {
        int p = play(start(club, s, round), mine);
        points += p;
        top += p >= 70;
    }
    points = __reduce_add_sync(~0u, points);
    top = __reduce_add_sync(~0u, top);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&tally[club].points, (u64)points);
        atomicAdd(&tally[club].top, (u64)top);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 900;
    std::vector<uint2> h(CLUBS * MATCHES);
    unsigned seed = 4;
    for (int c = 0; c < CLUBS; c++)
        for (int m = 0; m < MATCHES; m++) {
            double win = 0.15 + 0.025 * c + 0.1 * frand(seed), draw = 0.2;
            h[c * MATCHES + m] = make_uint2((unsigned)(win * 4294967295.0), (unsigned)((win + draw) * 4294967295.0));
        }
    uint2 *odds;
    Tally *tally, got[CLUBS];
    CK(cudaMalloc(&odds, h.size() * sizeof(uint2)));
    CK(cudaMalloc(&tally, sizeof got));
    CK(cudaMemcpy(odds, h.data(), h.size() * sizeof(uint2), cudaMemcpyHostToDevice));
    CK(cudaMemset(tally, 0, sizeof got));
#ifdef GOOD
    dim3 grid(CLUBS, 52);
#else
    dim3 grid(CLUBS);
#endif
    for (int r = 0; r + 1 < rounds; r++) seasons<<<grid, THREADS>>>(odds, tally, r);
    CK(cudaMemset(tally, 0, sizeof got));
    seasons<<<grid, THREADS>>>(odds, tally, rounds);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, tally, sizeof got, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c = 2; c < CLUBS; c += 8) {
        u64 points = 0, top = 0;
        for (int s = 0; s < SEASONS; s++) {
            int p = play(start(c, s, rounds), &h[c * MATCHES]);
            points += p;
            top += p >= 70;
        }
        ok = ok && points == got[c].points && top == got[c].top;
    }
    printf("best club: %.2f points, 70 or more in %.2f%%\n", (double)got[CLUBS - 1].points / SEASONS,
           100.0 * got[CLUBS - 1].top / SEASONS);
    return report(ok);
}
