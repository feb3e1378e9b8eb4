// Gene dropping in a pedigree: the two alleles of every founder are unique and fall down to the descendants by chance,
// in many simulations. Counts descendants of the last generation whose two alleles are the same (inbred).
// usage: genedrop simulations drops
#include "common.h"

#define FOUNDERS 64
#define PERSONS 1024
#define LIVING 128           // the youngest
#define THREADS 256

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline unsigned inherit(unsigned mother, unsigned father, unsigned coins)
{
    return ((coins & 1u) ? mother >> 16 : mother & 0xffffu) | ((coins & 2u) ? father & 0xffff0000u : father << 16);
}

__host__ __device__ inline unsigned coinsOf(unsigned drop, unsigned simulation, unsigned person)
{
    return scramble((drop * 1013u + person / 16u) * 0x9e3779b9u + simulation) >> (person % 16u * 2u);
}

#ifdef GOOD
#define AT(person) ((size_t)(person) * simulations + simulation)
#else
#define AT(person) ((size_t)simulation * PERSONS + (person))
#endif

// genes: the allele of the mother in the lower half, of the father in the upper
__global__ void __launch_bounds__(THREADS) drop_genes(const int2 *__restrict__ parents, unsigned *genes,
                                                      unsigned short *__restrict__ inbred, unsigned simulations,
                                                      unsigned drop)
{
    const unsigned simulation = blockIdx.x * THREADS + threadIdx.x;
    if (simulation >= simulations) return;
    for (unsigned p = 0; p < FOUNDERS; ++p) genes[AT(p)] = 2u * p | (2u * p + 1u) << 16;
    unsigned count = 0;
    for (unsigned p = FOUNDERS; p < PERSONS; ++p) {
        const int2 who = parents[p];
        unsigned g = inherit(genes[AT(who.x)], genes[AT(who.y)], coinsOf(drop, simulation, p));
        genes[AT(p)] = g;
        if (p >= PERSONS - LIVING && (g & 0xffffu) == g >> 16) count++;
    }
    inbred[simulation] = (unsigned short)count;
}

int main(int argc, char **argv)
{
    const unsigned simulations = argc > 1 ? atoi(argv[1]) : 270336;
    const int drops = argc > 2 ? atoi(argv[2]) : 120;
    std::vector<int2> parents(PERSONS, make_int2(0, 0));
    unsigned s = 1740;
    for (int p = FOUNDERS; p < PERSONS; ++p) {
        int back = p < 128 ? 48 : 100;
        int m = p - 8 - (int)(lcg(s) >> 16) % back, f = p - 8 - (int)(lcg(s) >> 16) % back;
        parents[p] = make_int2(std::max(m, 0), std::max(f, 0));
        if (m == f) parents[p].y = std::max(m, 0) + 1;
    }
    int2 *dparents; unsigned *genes; unsigned short *inbred;
    CK(cudaMalloc(&dparents, PERSONS * sizeof(int2)));
    CK(cudaMemcpy(dparents, parents.data(), PERSONS * sizeof(int2), cudaMemcpyHostToDevice));
    CK(cudaMalloc(&genes, (size_t)simulations * PERSONS * sizeof(unsigned)));
    CK(cudaMalloc(&inbred, simulations * sizeof(unsigned short)));
    for (int d = 0; d < drops; ++d)
        drop_genes<<<(simulations + THREADS - 1) / THREADS, THREADS>>>(dparents, genes, inbred, simulations, (unsigned)d);
    CK(cudaGetLastError());
    std::vector<unsigned short> got(simulations);
    CK(cudaMemcpy(got.data(), inbred, simulations * sizeof(unsigned short), cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    std::vector<unsigned> g(PERSONS);
    for (int q = 0; q < 400; ++q) {
        unsigned sim = (unsigned)((long long)q * (simulations - 1) / 399), count = 0;
        for (unsigned p = 0; p < PERSONS; ++p) {
            g[p] = p < FOUNDERS ? 2u * p | (2u * p + 1u) << 16
                                : inherit(g[parents[p].x], g[parents[p].y], coinsOf(drops - 1, sim, p));
            if (p >= PERSONS - LIVING && (g[p] & 0xffffu) == g[p] >> 16) count++;
        }
        ok = ok && got[sim] == count;
        mean += count / 400.0;
    }
    printf("inbred of %d: %.2f\n", LIVING, mean);
    CK(cudaFree(dparents)); CK(cudaFree(genes)); CK(cudaFree(inbred));
    return report(ok);
}
