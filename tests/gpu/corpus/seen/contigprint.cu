// Fingerprints of assembled contigs: the packed bases are taken as the digits of a polynomial, which is
// evaluated at a random point modulo 2^61 - 1 (equal contigs give equal prints). The assembly has 16896
// contigs of equal length; word w of all contigs stands together. Several points, one launch for each.
#include "common.h"

typedef unsigned long long u64;
static const int CONTIGS = 132 * 128, WORDS = 8192;
static const u64 P61 = (1ull << 61) - 1;

__host__ __device__ inline unsigned bases(unsigned w, unsigned c)
{
    unsigned h = w * 0x9E3779B1u + c * 0x85EBCA77u;
    h ^= h >> 16; h *= 0x2C1B3C6Du; h ^= h >> 15;
    return h;
}

__global__ void assemble(unsigned *b)
{
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
    b[(size_t)blockIdx.y * CONTIGS + c] = bases(blockIdx.y, c);
}

__device__ inline u64 step(u64 h, u64 x, unsigned word)         // (h * x + word) mod 2^61 - 1, lazily
{
    u64 lo = h * x, hi = __umul64hi(h, x);
    u64 r = (lo & P61) + ((lo >> 61) | (hi << 3)) + word;
    return (r & P61) + (r >> 61);
}

__global__ void __launch_bounds__(128) fingerprint(const unsigned *__restrict__ b, u64 *__restrict__ print, u64 x)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *p = b + c;
#ifdef GOOD
    const int QUARTER = WORDS / 4;
    u64 h0 = 0, h1 = 0, h2 = 0, h3 = 0;
    for (int w = 0; w < QUARTER; ++w) {
        h0 = step(h0, x, p[(size_t)w * CONTIGS]);
        h1 = step(h1, x, p[(size_t)(w + QUARTER) * CONTIGS]);
        h2 = step(h2, x, p[(size_t)(w + 2 * QUARTER) * CONTIGS]);
        h3 = step(h3, x, p[(size_t)(w + 3 * QUARTER) * CONTIGS]);
    }
    u64 far = x;                                // x^QUARTER; QUARTER is a power of two
    for (int q = QUARTER; q > 1; q >>= 1) far = step(far, far, 0);
    u64 h = step(h0, far, 0) + h1;
    h = step((h & P61) + (h >> 61), far, 0) + h2;
    h = step((h & P61) + (h >> 61), far, 0) + h3;
#else
    u64 h = 0;
    for (int w = 0; w < WORDS; ++w) h = step(h, x, p[(size_t)w * CONTIGS]);
#endif
    print[c] = h % P61;
}

int main(int argc, char **argv)
{
    int points = argc > 1 ? atoi(argv[1]) : 60;
    unsigned *b;
    u64 *print;
    CK(cudaMalloc(&b, sizeof(unsigned) * (size_t)CONTIGS * WORDS));
    CK(cudaMalloc(&print, sizeof(u64) * CONTIGS));
    assemble<<<dim3(CONTIGS / 128, WORDS), 128>>>(b);
    CK(cudaGetLastError());
    u64 x = 0;
    for (int k = 0; k < points; ++k) {
        x = (0x123456789ABCDEFull * (2 * k + 1)) % P61;
        fingerprint<<<CONTIGS / 128, 128>>>(b, print, x);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<u64> got(CONTIGS);
    CK(cudaMemcpy(got.data(), print, sizeof(u64) * CONTIGS, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c : {0, 1, 9999, CONTIGS - 1}) {
        unsigned __int128 h = 0;
        for (int w = 0; w < WORDS; ++w) h = (h * x + bases(w, c)) % P61;
        ok = ok && got[c] == (u64)h;
    }
    CK(cudaFree(b)); CK(cudaFree(print));
    return report(ok);
}
