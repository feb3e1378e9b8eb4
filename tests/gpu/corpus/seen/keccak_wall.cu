// Key stretching on the GPU: for each candidate number a chain of Keccak-f[1600]
// permutations, absorbing the number and squeezing one word at the end.
#include "common.h"
typedef unsigned long long u64;

#ifndef CANDS
#define CANDS (1 << 20)
#endif
#ifndef CHAIN
#define CHAIN 96
#endif

#ifdef GOOD
#define BOUNDS __launch_bounds__(256)
#else
#define BOUNDS __launch_bounds__(256, 6)      // keep six blocks on every SM
#endif

#define RC_LIST 0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull, \
    0x000000000000808bull, 0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull, \
    0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull, \
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull, \
    0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull, \
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull
__constant__ u64 rc_dev[24] = {RC_LIST};
static const u64 rc_host[24] = {RC_LIST};

static __host__ __device__ __forceinline__ u64 rol(u64 v, int s) { return s ? (v << s) | (v >> (64 - s)) : v; }

static __host__ __device__ __forceinline__ void keccak_round(u64 (&a)[25], u64 rc)
{
    constexpr int rot[25] = {0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14};
    u64 c[5], b[25];
#pragma unroll
    for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
    for (int x = 0; x < 5; x++) {
        u64 d = c[(x + 4) % 5] ^ rol(c[(x + 1) % 5], 1);
#pragma unroll
        for (int y = 0; y < 5; y++) b[y + 5 * ((2 * x + 3 * y) % 5)] = rol(a[x + 5 * y] ^ d, rot[x + 5 * y]);
    }
#pragma unroll
    for (int y = 0; y < 25; y += 5)
#pragma unroll
        for (int x = 0; x < 5; x++) a[y + x] = b[y + x] ^ (~b[y + (x + 1) % 5] & b[y + (x + 2) % 5]);
    a[0] ^= rc;
}

__global__ void BOUNDS stretch(u64 salt, u64 *__restrict__ out, int chain)
{
    u64 id = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    u64 a[25];
#pragma unroll
    for (int i = 0; i < 25; i++) a[i] = 0;
    a[0] = id; a[1] = salt; a[2] = 0x06; a[16] = 1ull << 63;
    for (int k = 0; k < chain; k++)
#pragma unroll 1
        for (int r = 0; r < 24; r++) keccak_round(a, rc_dev[r]);
    out[id] = a[0] ^ a[7];
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 1;
    u64 *out, salt = 0x9e3779b97f4a7c15ull;
    CK(cudaMalloc(&out, CANDS * sizeof(u64)));
    for (int b = 0; b < batches; b++) stretch<<<CANDS / 256, 256>>>(salt + b, out, CHAIN);
    CK(cudaGetLastError());
    std::vector<u64> got(CANDS);
    CK(cudaMemcpy(got.data(), out, CANDS * sizeof(u64), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 64; t++) {
        u64 id = (u64)((long long)t * 104729 % CANDS), a[25] = {};
        a[0] = id; a[1] = salt + (batches - 1); a[2] = 0x06; a[16] = 1ull << 63;
        for (int k = 0; k < CHAIN; k++)
            for (int r = 0; r < 24; r++) keccak_round(a, rc_host[r]);
        ok = ok && got[id] == (a[0] ^ a[7]);
    }
    printf("last word %016llx\n", got[CANDS - 1]);
    CK(cudaFree(out));
    return report(ok);
}
