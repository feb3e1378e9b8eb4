// Fairy chess: how many squares a piece reaches in at most four moves on a board with other (blocking) men, for eight
// kinds of pieces. Boards are 64-bit sets of squares; the composer's data base mixes the kinds.
// usage: fairymoves boards rounds
#include "common.h"

#define MOVES 4
#define KINDS 8              // king, knight, camel, zebra, bishop, rook, queen, nightrider
#define THREADS 256
typedef unsigned long long Squares;

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

// all squares moved by dx files and dy ranks, without those that leave the board
template <int DX, int DY> __host__ __device__ inline Squares moved(Squares s)
{
    const unsigned files = DX >= 0 ? (0xffu << (DX >= 0 ? DX : 0)) & 0xffu : 0xffu >> (DX < 0 ? -DX : 0);
    const int by = 8 * DY + DX;
    s = by >= 0 ? s << (by >= 0 ? by : 0) : s >> (by < 0 ? -by : 0);
    return s & (files * 0x0101010101010101ull);
}

template <int A, int B> __host__ __device__ inline Squares leaps(Squares s)
{
    return moved<A, B>(s) | moved<A, -B>(s) | moved<-A, B>(s) | moved<-A, -B>(s)
         | moved<B, A>(s) | moved<B, -A>(s) | moved<-B, A>(s) | moved<-B, -A>(s);
}

template <int DX, int DY, int STEPS> __host__ __device__ inline Squares slide(Squares s, Squares empty)
{
    Squares all = 0;
    #pragma unroll
    for (int k = 0; k < STEPS; ++k) {
        s = moved<DX, DY>(s);
        all |= s;                                        // may take on the last square
        s &= empty;
    }
    return all;
}

__host__ __device__ inline Squares diagonals(Squares s, Squares e)
{
    return slide<1, 1, 7>(s, e) | slide<1, -1, 7>(s, e) | slide<-1, 1, 7>(s, e) | slide<-1, -1, 7>(s, e);
}

__host__ __device__ inline Squares straights(Squares s, Squares e)
{
    return slide<1, 0, 7>(s, e) | slide<-1, 0, 7>(s, e) | slide<0, 1, 7>(s, e) | slide<0, -1, 7>(s, e);
}

__host__ __device__ inline Squares rides(Squares s, Squares e)
{
    return slide<1, 2, 3>(s, e) | slide<1, -2, 3>(s, e) | slide<-1, 2, 3>(s, e) | slide<-1, -2, 3>(s, e)
         | slide<2, 1, 3>(s, e) | slide<2, -1, 3>(s, e) | slide<-2, 1, 3>(s, e) | slide<-2, -1, 3>(s, e);
}

// piece: bits 0-5 square, 8-10 kind; a piece does not go on from a man it has taken
__host__ __device__ inline unsigned char reach(Squares men, unsigned piece)
{
    const Squares home = 1ull << (piece & 63u), empty = ~(men & ~home);
    Squares all = home;
    for (int m = 0; m < MOVES; ++m) {
        Squares from = all & empty, to = 0;
        switch (piece >> 8 & 7u) {
        case 0: to = leaps<1, 0>(from) | leaps<1, 1>(from); break;
        case 1: to = leaps<1, 2>(from); break;
        case 2: to = leaps<1, 3>(from); break;
        case 3: to = leaps<2, 3>(from); break;
        case 4: to = diagonals(from, empty); break;
        case 5: to = straights(from, empty); break;
        case 6: to = diagonals(from, empty) | straights(from, empty); break;
        default: to = rides(from, empty); break;
        }
        all |= to;
    }
#ifdef __CUDA_ARCH__
    return (unsigned char)__popcll(all);
#else
    return (unsigned char)__builtin_popcountll(all);
#endif
}

__host__ __device__ inline Squares turned(Squares men, int round)
{
    const int r = round % 63;                            // other men in every round
    return r ? men << r | men >> (64 - r) : men;
}

__global__ void __launch_bounds__(THREADS) mobility(const Squares *__restrict__ men, const unsigned *__restrict__ piece,
                                                    unsigned char *__restrict__ count, int n, int round)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) count[i] = reach(turned(men[i], round), piece[i]);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 4194304, rounds = argc > 2 ? atoi(argv[2]) : 1200;
    std::vector<Squares> men(n);
    std::vector<unsigned> piece(n);
    for (int i = 0; i < n; ++i) {
        unsigned h = scramble(2u * i), g = scramble(2u * i + 1u);
        men[i] = ((Squares)(h & g) << 32 | (h & scramble(g))) ^ 1ull << (g & 63u);
        piece[i] = (h >> 3 & 63u) | (g >> 7 & 7u) << 8;
    }
#ifdef GOOD
    {                                                    // by kind
        std::vector<int> order(n), from(KINDS + 1, 0);
        for (unsigned p : piece) from[(p >> 8) + 1]++;
        for (int k = 0; k < KINDS; ++k) from[k + 1] += from[k];
        for (int i = 0; i < n; ++i) order[from[piece[i] >> 8]++] = i;
        std::vector<Squares> m(n);
        std::vector<unsigned> p(n);
        for (int i = 0; i < n; ++i) { m[i] = men[order[i]]; p[i] = piece[order[i]]; }
        men.swap(m);
        piece.swap(p);
    }
#endif
    Squares *dmen; unsigned *dpiece; unsigned char *dcount;
    CK(cudaMalloc(&dmen, n * sizeof(Squares)));
    CK(cudaMalloc(&dpiece, n * sizeof(unsigned)));
    CK(cudaMalloc(&dcount, n));
    CK(cudaMemcpy(dmen, men.data(), n * sizeof(Squares), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dpiece, piece.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int r = 0; r < rounds; ++r) mobility<<<(n + THREADS - 1) / THREADS, THREADS>>>(dmen, dpiece, dcount, n, r);
    CK(cudaGetLastError());
    std::vector<unsigned char> count(n);
    CK(cudaMemcpy(count.data(), dcount, n, cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    for (int q = 0; q < 20000; ++q) {
        int i = (int)((long long)q * (n - 1) / 19999);
        ok = ok && count[i] == reach(turned(men[i], rounds - 1), piece[i]);
        mean += count[i] / 20000.0;
    }
    ok = ok && mean > 5;
    printf("mean number of squares: %.3f\n", mean);
    CK(cudaFree(dmen)); CK(cudaFree(dpiece)); CK(cudaFree(dcount));
    return report(ok);
}
