// Proof of work: SHA-256 of a block header with each of 2^25 nonces, smallest first word wins.
//   miner [headers]
#include "common.h"
#include <cstdint>

__constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct Header { uint32_t word[15]; };

__device__ __forceinline__ uint32_t rotr(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

__device__ uint32_t digest0(const Header &h, uint32_t nonce)
{
    uint32_t w[16];
#pragma unroll
    for (int i = 0; i < 15; i++) w[i] = h.word[i];
    w[15] = nonce;
    uint32_t a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    uint32_t e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, s = 0x5be0cd19;
#pragma unroll 1
    for (int r = 0; r < 64; r += 16) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            uint32_t t1 = s + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[r + i] + w[i];
            uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            s = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
            uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i] += (rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3)) + w[(i + 9) & 15] + (rotr(y, 17) ^ rotr(y, 19) ^ (y >> 10));
        }
    }
    return a + 0x6a09e667;
}

__global__ void search(Header h, uint32_t nonces, uint32_t *smallest)
{
    uint32_t best = ~0u;
    for (uint32_t n = blockIdx.x * blockDim.x + threadIdx.x; n < nonces; n += gridDim.x * blockDim.x)
        best = min(best, digest0(h, n));
    best = __reduce_min_sync(~0u, best);
    if (threadIdx.x % 32 == 0) atomicMin(smallest, best);
}

int main(int argc, char **argv)
{
    int headers = argc > 1 ? atoi(argv[1]) : 8;
    const uint32_t nonces = 1u << 25;
    uint32_t *best;
    CK(cudaMalloc(&best, headers * 4));
    CK(cudaMemset(best, 0xff, headers * 4));
#ifndef GOOD
    const int blocks = 16;
#else
    const int blocks = 132 * 5;
#endif
    unsigned seed = 4711;
    for (int k = 0; k < headers; k++) {
        Header h;
        for (uint32_t &w : h.word) w = lcg(seed) ^ lcg(seed) >> 16;
        search<<<blocks, 256>>>(h, nonces, best + k);
        CK(cudaGetLastError());
    }
    std::vector<uint32_t> r(headers);
    CK(cudaMemcpy(r.data(), best, headers * 4, cudaMemcpyDeviceToHost));
    uint32_t x = 0;
    for (uint32_t v : r) x ^= v;
    printf("smallest words xor %08x\n", x);
    return report(r[0] < 4096);
}
