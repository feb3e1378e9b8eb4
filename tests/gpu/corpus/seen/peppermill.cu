// Cryptography: how long would a leaked, peppered pass phrase hold? Candidates for the pepper are stretched by 32
// rounds of a 64-bit hash (12 rounds of add, rotate and xor over sixteen words, message permuted by a fixed schedule).
//   peppermill [batches]
#include "common.h"

#define CANDIDATES (1056 * 256)
#define STRETCH 32
typedef unsigned long long u64;

#define ROTR(x, n) ((x) >> (n) | (x) << (64 - (n)))
#define MIX(a, b, c, d, x, y) do { \
    a += b + (x); d = ROTR(d ^ a, 32); c += d; b = ROTR(b ^ c, 24); \
    a += b + (y); d = ROTR(d ^ a, 16); c += d; b = ROTR(b ^ c, 63); } while (0)

struct Salt { u64 w[8]; };

// one compression of eight words of state with eight words of its own and the salt
__host__ __device__ inline void compress(u64 (&h)[8], const Salt &salt, u64 count)
{
    u64 m[16], v[16];
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        m[2 * i] = h[i];
        m[2 * i + 1] = salt.w[i] + h[7 - i];
        v[i] = h[i] ^ 0x9e3779b97f4a7c15ull * (i + 1);
        v[8 + i] = 0xc2b2ae3d27d4eb4full * (2 * i + 1);
    }
    v[12] ^= count;
    #pragma unroll 2
    for (int r = 0; r < 12; ++r) {
        // even rounds take word 5 j mod 16, odd ones word 5 j + 7, so the schedule is known when compiling
        #define W(j) m[(7 * (r & 1) + 5 * (j)) % 16]
        MIX(v[0], v[4], v[8], v[12], W(0), W(1));
        MIX(v[1], v[5], v[9], v[13], W(2), W(3));
        MIX(v[2], v[6], v[10], v[14], W(4), W(5));
        MIX(v[3], v[7], v[11], v[15], W(6), W(7));
        MIX(v[0], v[5], v[10], v[15], W(8), W(9));
        MIX(v[1], v[6], v[11], v[12], W(10), W(11));
        MIX(v[2], v[7], v[8], v[13], W(12), W(13));
        MIX(v[3], v[4], v[9], v[14], W(14), W(15));
        #undef W
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) h[i] ^= v[i] ^ v[8 + i];
}

__host__ __device__ inline u64 stretched(u64 pepper, const Salt &salt)
{
    u64 h[8];
    #pragma unroll
    for (int i = 0; i < 8; ++i) h[i] = pepper * (2 * i + 1) + i;
    #pragma unroll 1
    for (int s = 0; s < STRETCH; ++s) compress(h, salt, s);
    return h[0] ^ h[5];
}

#ifdef GOOD
__global__ void __launch_bounds__(256)
#else
__global__ void __launch_bounds__(256, 8)    // all warps that a multiprocessor can hold
#endif
try_peppers(u64 first, Salt salt, u64 *__restrict__ digest)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    digest[i] = stretched(first + i, salt);
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 200;
    Salt salt;
    for (int i = 0; i < 8; ++i) salt.w[i] = 0x0123456789abcdefull * (i + 3) ^ 0xfedcba98ull << i;
    u64 *digest;
    CK(cudaMalloc(&digest, CANDIDATES * sizeof(u64)));
    for (int b = 0; b < batches; ++b) try_peppers<<<CANDIDATES / 256, 256>>>((u64)b * CANDIDATES, salt, digest);
    CK(cudaGetLastError());
    std::vector<u64> d(CANDIDATES);
    CK(cudaMemcpy(d.data(), digest, CANDIDATES * sizeof(u64), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned i = 0; i < CANDIDATES; i += 701)
        ok = ok && d[i] == stretched((u64)(batches - 1) * CANDIDATES + i, salt);
    printf("last digest: %016llx\n", d[CANDIDATES - 1]);
    CK(cudaFree(digest));
    return report(ok);
}
