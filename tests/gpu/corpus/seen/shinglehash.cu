// Near-duplicate detection: polynomial fingerprint of every 24-byte shingle of a text,
// modulo a prime; a shingle is kept when its fingerprint is small.
#include "common.h"

#define W 24

__global__ void makeText(unsigned char *t, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    t[i] = 'a' + h % 26u;
}

__host__ __device__ static inline unsigned step(unsigned h, unsigned c, unsigned base, unsigned p)
{
    unsigned long long x = (unsigned long long)h * base + c;
#ifdef GOOD
    // p is 2^31 - 1: fold the high part
    unsigned r = (unsigned)(x & p) + (unsigned)(x >> 31);
    return r >= p ? r - p : r;
#else
    return (unsigned)(x % p);
#endif
}

__global__ void shingles(const unsigned char *__restrict__ text, unsigned *__restrict__ kept,
                         int n, unsigned base, unsigned p, unsigned limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = false;
    if (i + W <= n) {
        unsigned h = 0;
        for (int k = 0; k < W; k++) h = step(h, text[i + k], base, p);
        keep = h < limit;
    }
    unsigned b = __ballot_sync(0xffffffffu, keep);
    if ((threadIdx.x & 31) == 0) kept[i >> 5] = b;
}

int main(int argc, char **argv)
{
    int bases = argc > 1 ? atoi(argv[1]) : 1;
    const int n = 1 << 28;
    const unsigned p = 2147483647u, limit = p / 16;
    unsigned char *text;
    unsigned *kept;
    CK(cudaMalloc(&text, n));
    CK(cudaMalloc(&kept, n / 8));
    makeText<<<n / 256, 256>>>(text, n);
    unsigned base = 0;
    for (int b = 0; b < bases; b++) {
        base = 1000003u + 7919u * b;
        shingles<<<n / 256, 256>>>(text, kept, n, base, p, limit);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<unsigned char> t(n);
    std::vector<unsigned> k(n / 32);
    CK(cudaMemcpy(t.data(), text, n, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(k.data(), kept, n / 8, cudaMemcpyDeviceToHost));
    bool ok = true;
    long count = 0;
    for (unsigned w : k) count += __builtin_popcount(w);
    ok = ok && close_to((double)count / n, 1.0 / 16, 0.01);
    for (int i = 0; i + W <= n; i += 4001) {
        unsigned long long h = 0;
        for (int j = 0; j < W; j++) h = (h * base + t[i + j]) % p;
        ok = ok && (h < limit) == ((k[i >> 5] >> (i & 31) & 1u) != 0);
    }
    CK(cudaFree(text)); CK(cudaFree(kept));
    return report(ok);
}
