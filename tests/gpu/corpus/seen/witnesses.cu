// Screening of numbers for a prime table: the strong test with four bases on a list of odd
// candidates below 2^31; the mask of bases that a candidate passes comes back.
#include "common.h"
typedef unsigned long long u64;

#ifndef CANDIDATES
#define CANDIDATES (1 << 23)
#endif
const int BASES = 4;
__constant__ unsigned base_list[BASES];

struct Ring                                    // arithmetic modulo an odd number
{
    unsigned n;
#ifdef GOOD
    unsigned neg_inv, square;                  // -1/n mod 2^32 and 2^64 mod n
    __device__ explicit Ring(unsigned m) : n(m)
    {
        unsigned x = m;
        for (int k = 0; k < 4; k++) x *= 2u - m * x;
        neg_inv = 0u - x;
        square = (unsigned)((0ull - m) % m);
    }
    __device__ unsigned reduce(u64 t) const
    {
        unsigned q = (unsigned)t * neg_inv, r = (unsigned)((t + (u64)q * n) >> 32);
        return r >= n ? r - n : r;
    }
    __device__ unsigned mul(unsigned a, unsigned b) const { return reduce((u64)a * b); }
    __device__ unsigned enter(unsigned a) const { return mul(a, square); }
#else
    __device__ explicit Ring(unsigned m) : n(m) {}
    __device__ unsigned mul(unsigned a, unsigned b) const { return (unsigned)((u64)a * b % n); }
    __device__ unsigned enter(unsigned a) const { return a; }
#endif
};

__device__ bool passes(const Ring &ring, unsigned base)
{
    unsigned n = ring.n, twos = __ffs(n - 1) - 1, odd = (n - 1) >> twos;
    unsigned one = ring.enter(1), minus = n - one, b = ring.enter(base), r = one;
    for (int k = 30; k >= 0; k--) {
        r = ring.mul(r, r);
        unsigned more = ring.mul(r, b);
        r = (odd >> k) & 1 ? more : r;
    }
    bool ok = r == one || r == minus;
    for (unsigned k = 1; k < twos; k++) {
        r = ring.mul(r, r);
        ok = ok || r == minus;
    }
    return ok;
}

__global__ void __launch_bounds__(256) screen(const unsigned *__restrict__ list, unsigned char *__restrict__ mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Ring ring(list[i]);
    unsigned m = 0;
    for (int k = 0; k < BASES; k++) m |= (unsigned)passes(ring, base_list[k]) << k;
    mask[i] = (unsigned char)m;
}

__global__ void tally(const unsigned char *__restrict__ mask, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all = __ballot_sync(~0u, mask[i] == (1 << BASES) - 1);
    if ((threadIdx.x & 31) == 0) atomicAdd(count, __popc(all));
}

static bool passes_host(unsigned n, unsigned base)
{
    unsigned twos = __builtin_ctz(n - 1), odd = (n - 1) >> twos;
    u64 r = 1, b = base;
    for (unsigned e = odd; e; e >>= 1, b = b * b % n)
        if (e & 1) r = r * b % n;
    bool ok = r == 1 || r == n - 1;
    for (unsigned k = 1; k < twos; k++) {
        r = r * r % n;
        ok = ok || r == n - 1;
    }
    return ok;
}

int main(int argc, char **argv)
{
    int lists = argc > 1 ? atoi(argv[1]) : 260;
    unsigned seed = 41;
    const unsigned bases[BASES] = {2, 3, 5, 7};
    std::vector<unsigned> list(CANDIDATES);
    for (auto &n : list) n = (lcg(seed) >> 2) | (1u << 30) | 1u;
    unsigned *dlist;
    unsigned char *mask;
    int *count;
    CK(cudaMalloc(&dlist, CANDIDATES * sizeof(unsigned)));
    CK(cudaMalloc(&mask, CANDIDATES));
    CK(cudaMalloc(&count, sizeof(int)));
    CK(cudaMemset(count, 0, sizeof(int)));
    CK(cudaMemcpy(dlist, list.data(), CANDIDATES * sizeof(unsigned), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(base_list, bases, sizeof(bases)));
    for (int l = 0; l < lists; l++) screen<<<CANDIDATES / 256, 256>>>(dlist, mask);
    tally<<<CANDIDATES / 256, 256>>>(mask, count);
    CK(cudaGetLastError());

    std::vector<unsigned char> got(CANDIDATES);
    int primes = 0, seen = 0;
    CK(cudaMemcpy(got.data(), mask, CANDIDATES, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&primes, count, sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < CANDIDATES; i++) seen += got[i] == (1 << BASES) - 1;
    for (int t = 0; t < 20000; t++) {
        int i = (int)((t * 50331u + 7u) % CANDIDATES);
        unsigned m = 0;
        for (int k = 0; k < BASES; k++) m |= (unsigned)passes_host(list[i], bases[k]) << k;
        ok = ok && got[i] == m;
    }
    printf("%d probable primes among %d\n", primes, CANDIDATES);
    ok = ok && primes == seen && primes > CANDIDATES / 50;
    CK(cudaFree(dlist)); CK(cudaFree(mask)); CK(cudaFree(count));
    return report(ok);
}
