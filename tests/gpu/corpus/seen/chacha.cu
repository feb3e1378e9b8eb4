// Encryption of a disk image with ChaCha20 (RFC 8439), a block of 64 bytes per thread.
#include "common.h"

struct Key { unsigned k[8], nonce[3]; };

__host__ __device__ inline unsigned rotate(unsigned x, int n)
{
    return x << n | x >> (32 - n);
}

__host__ __device__ inline void quarter(unsigned &a, unsigned &b, unsigned &c,
                                        unsigned &d)
{
    a += b; d = rotate(d ^ a, 16);
    c += d; b = rotate(b ^ c, 12);
    a += b; d = rotate(d ^ a, 8);
    c += d; b = rotate(b ^ c, 7);
}

__host__ __device__ inline void key_stream(const Key &key, unsigned counter, unsigned *x)
{
    unsigned s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
                      key.k[0], key.k[1], key.k[2], key.k[3],
                      key.k[4], key.k[5], key.k[6], key.k[7],
                      counter, key.nonce[0], key.nonce[1], key.nonce[2]};
#pragma unroll
    for (int i = 0; i < 16; i++) x[i] = s[i];
#pragma unroll
    for (int r = 0; r < 10; r++) {
        quarter(x[0], x[4], x[8], x[12]);
        quarter(x[1], x[5], x[9], x[13]);
        quarter(x[2], x[6], x[10], x[14]);
        quarter(x[3], x[7], x[11], x[15]);
        quarter(x[0], x[5], x[10], x[15]);
        quarter(x[1], x[6], x[11], x[12]);
        quarter(x[2], x[7], x[8], x[13]);
        quarter(x[3], x[4], x[9], x[14]);
    }
#pragma unroll
    for (int i = 0; i < 16; i++) x[i] += s[i];
}

__host__ __device__ inline unsigned char plain(size_t i)
{
    return (unsigned char)(i * 7 ^ i >> 9 ^ i >> 20);
}

__global__ void image(unsigned char *p, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = plain(i);
}

const int THREADS = 128;

__global__ void encrypt(Key key, unsigned char *data, unsigned blocks)
{
    unsigned b = blockIdx.x * THREADS + threadIdx.x;
    unsigned x[16];
    key_stream(key, b, x);
#ifdef GOOD
    __shared__ unsigned stream[THREADS * 17];
    for (int i = 0; i < 16; i++) stream[threadIdx.x * 17 + i] = x[i];
    __syncthreads();
    unsigned *words = (unsigned *)(data + (size_t)blockIdx.x * THREADS * 64);
    int left = min((int)(blocks - blockIdx.x * THREADS), THREADS) * 16;
    for (int i = threadIdx.x; i < left; i += THREADS)
        words[i] ^= stream[i / 16 * 17 + i % 16];
#else
    if (b >= blocks) return;
    unsigned char *p = data + (size_t)b * 64;
#pragma unroll
    for (int i = 0; i < 64; i++) p[i] ^= x[i / 4] >> 8 * (i % 4);
#endif
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 33;
    unsigned blocks = argc > 2 ? atoi(argv[2]) : 8u << 20;
    size_t bytes = (size_t)blocks * 64;
    unsigned char *d;
    CK(cudaMalloc(&d, bytes));
    image<<<(unsigned)((bytes + 255) / 256), 256>>>(d, bytes);
    CK(cudaGetLastError());
    Key key;
    for (int i = 0; i < 8; i++) key.k[i] = 0x03020100u + i * 0x04040404u;
    key.nonce[0] = 0x09000000; key.nonce[1] = 0x4a000000; key.nonce[2] = 0;
    unsigned x[16];
    key_stream(key, 1, x);
    bool ok = x[0] == 0xe4e7f110u && x[1] == 0x15593bd1u;      // the example of the RFC
    for (int p = 0; p < passes; p++) {      // a layer for every owner of the image
        key.nonce[2] = p;
        encrypt<<<(blocks + THREADS - 1) / THREADS, THREADS>>>(key, d, blocks);
        CK(cudaGetLastError());
    }
    std::vector<unsigned char> h(bytes);
    CK(cudaMemcpy(h.data(), d, bytes, cudaMemcpyDeviceToHost));
    for (unsigned b = 0; b < blocks; b += blocks / 97 + 1) {
        unsigned all[16] = {};
        for (int p = 0; p < passes; p++) {
            key.nonce[2] = p;
            key_stream(key, b, x);
            for (int i = 0; i < 16; i++) all[i] ^= x[i];
        }
        for (int i = 0; i < 64; i++)
            ok &= h[(size_t)b * 64 + i] ==
                  (unsigned char)(plain((size_t)b * 64 + i) ^ all[i / 4] >> 8 * (i % 4));
    }
    unsigned long long check = 0;
    for (size_t i = 0; i + 8 <= bytes; i += 4096) {
        unsigned long long v;
        memcpy(&v, &h[i], 8);
        check = check * 31 + v;
    }
    printf("checksum %016llx\n", check);
    return report(ok);
}
