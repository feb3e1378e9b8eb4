// Disk encryption: a 16-round Feistel cipher with four key-dependent tables of 256 words, in counter mode.
//   feistelvault [sectors' batches]
#include "common.h"

#define ROUNDS 16

struct Key { unsigned box[4][256], whiten[ROUNDS + 2]; };

__constant__ Key key;

typedef const unsigned Boxes[4][256];

__host__ __device__ __forceinline__ unsigned mix(Boxes &s, unsigned x)
{
    return ((s[0][x >> 24] + s[1][x >> 16 & 255]) ^ s[2][x >> 8 & 255]) + s[3][x & 255];
}

__host__ __device__ __forceinline__ uint2 encrypt(Boxes &s, const unsigned *whiten, uint2 b)
{
    unsigned l = b.x, r = b.y;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 0; k < ROUNDS; k += 2) {
        l ^= whiten[k];
        r ^= mix(s, l);
        r ^= whiten[k + 1];
        l ^= mix(s, r);
    }
    return make_uint2(r ^ whiten[ROUNDS + 1], l ^ whiten[ROUNDS]);
}

__host__ __device__ static inline uint2 plain(unsigned i) { return make_uint2(i * 2654435761u, i ^ 0x5f3759dfu); }

__global__ void store(uint2 *text, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) text[i] = plain(i);
}

__global__ void __launch_bounds__(256) seal(const uint2 *__restrict__ text, uint2 *__restrict__ out, unsigned n, unsigned nonce)
{
#ifdef GOOD
    __shared__ unsigned box[4][256];
    for (int k = 0; k < 4; k++) box[k][threadIdx.x] = key.box[k][threadIdx.x];
    __syncthreads();
#else
    Boxes &box = key.box;
#endif
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        uint2 k = encrypt(box, key.whiten, make_uint2(nonce, i)), t = text[i];
        out[i] = make_uint2(t.x ^ k.x, t.y ^ k.y);
    }
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 800;
    const unsigned n = 2097152;
    static Key k;
    unsigned seed = 1973;
    for (auto &b : k.box)
        for (unsigned &w : b) { unsigned hi = lcg(seed) & 0xffff0000u; w = hi | lcg(seed) >> 16; }
    for (unsigned &w : k.whiten) { unsigned hi = lcg(seed) & 0xffff0000u; w = hi | lcg(seed) >> 16; }
    CK(cudaMemcpyToSymbol(key, &k, sizeof k));
    uint2 *text, *out;
    CK(cudaMalloc(&text, n * sizeof(uint2)));
    CK(cudaMalloc(&out, n * sizeof(uint2)));
    store<<<132 * 8, 256>>>(text, n);
    CK(cudaGetLastError());
    unsigned nonce = 0;
    for (int b = 0; b < batches; b++) {
        nonce = 0x9e3779b9u * (b + 1);
        seal<<<132 * 8, 256>>>(text, out, n, nonce);
    }
    CK(cudaGetLastError());
    std::vector<uint2> h(n);
    CK(cudaMemcpy(h.data(), out, n * sizeof(uint2), cudaMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i += 7) {
        uint2 e = encrypt(k.box, k.whiten, make_uint2(nonce, i)), t = plain(i);
        wrong += h[i].x != (t.x ^ e.x) || h[i].y != (t.y ^ e.y);
    }
    printf("first block %08x%08x\n", h[0].x, h[0].y);
    CK(cudaFree(text)); CK(cudaFree(out));
    return report(wrong == 0);
}
