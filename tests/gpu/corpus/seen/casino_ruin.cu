// Gambler's ruin: a million gamblers play the same number of rounds against a house with a small edge.
// The random numbers come from a multiplicative congruential generator, as in the old Fortran code.
#include "common.h"

struct Generator { unsigned long long a, m; };

static const int GAMBLERS = 1 << 20;
static const int START = 50;

#ifdef GOOD
static constexpr unsigned long long A = 48271ull, M = 2147483647ull;
__host__ __device__ inline unsigned long long next(unsigned long long x, Generator) { return x * A % M; }
#else
__host__ __device__ inline unsigned long long next(unsigned long long x, Generator g) { return x * g.a % g.m; }
#endif

__host__ __device__ inline int evening(unsigned who, int rounds, unsigned long long edge, Generator g)
{
    unsigned h = who * 2654435761u + 99u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    unsigned long long x = (h & 0x3fffffffu) + 1;
    int purse = START, ruins = 0;
    for (int r = 0; r < rounds; ++r) {
        x = next(x, g);
        purse += x < edge ? 1 : -1;
        if (purse == 0) { purse = START; ++ruins; }     // borrows again
    }
    return ruins * 4096 + (purse & 4095);
}

__global__ void __launch_bounds__(256) gamble(int *out, int rounds, unsigned long long edge, Generator g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = evening(i, rounds, edge, g);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 30000;
    Generator g = {48271ull, 2147483647ull};
    const unsigned long long edge = (unsigned long long)(0.4932 * 2147483647.0);
    int *d;
    CK(cudaMalloc(&d, sizeof(int) * GAMBLERS));
    gamble<<<GAMBLERS / 256, 256>>>(d, rounds, edge, g);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<int> h(GAMBLERS);
    CK(cudaMemcpy(h.data(), d, sizeof(int) * GAMBLERS, cudaMemcpyDeviceToHost));
    double ruins = 0;
    for (int v : h) ruins += v / 4096;
    printf("ruins per gambler %.3f\n", ruins / GAMBLERS);
    bool ok = ruins > 0;
    for (int t = 0; t < 40; ++t) {
        int i = t == 0 ? GAMBLERS - 1 : t * 25013 % GAMBLERS;
        ok = ok && h[i] == evening(i, rounds, edge, g);
    }
    CK(cudaFree(d));
    return report(ok);
}
