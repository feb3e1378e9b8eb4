// Content-defined chunking: Rabin-Karp fingerprint of the 64-byte window at every byte of a
// backup stream; a chunk may be cut where the fingerprint's low 13 bits are zero.
#include "common.h"

typedef unsigned long long u64;
const int N = 256 << 20;
const int WIN = 64;
const u64 BASE = 263;
const u64 PRIME = 1000000007ull;

__host__ __device__ inline unsigned char stream(unsigned i)
{
    unsigned h = i * 2654435761u + 12345u;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    return (unsigned char)(h >> 7);
}

__global__ void receive(unsigned char *s, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s[i] = stream(i);
}

__global__ void __launch_bounds__(256) cut_points(const unsigned char *__restrict__ s, int *__restrict__ cuts
#ifndef GOOD
                                                  , u64 base, u64 prime
#endif
                                                  )
{
#ifdef GOOD
    constexpr u64 base = BASE, prime = PRIME;
#endif
    int i = blockIdx.x * 256 + threadIdx.x;
    u64 h = 0;
    for (int k = 0; k < WIN; k++)
        h = (h * base + s[i + k]) % prime;
    int n = __syncthreads_count((h & 0x1fff) == 0);
    if (threadIdx.x == 0) cuts[blockIdx.x] = n;
}

int main(int argc, char **argv)
{
    int files = argc > 1 ? atoi(argv[1]) : 1;
    unsigned char *s;
    int *cuts;
    const int blocks = N / 256;
    CK(cudaMalloc(&s, (size_t)N + WIN));
    CK(cudaMalloc(&cuts, blocks * sizeof(int)));
    receive<<<2048, 256>>>(s, N + WIN);
    CK(cudaGetLastError());
    for (int f = 0; f < files; f++) {
#ifdef GOOD
        cut_points<<<blocks, 256>>>(s, cuts);
#else
        cut_points<<<blocks, 256>>>(s, cuts, BASE, PRIME);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<int> c(blocks);
    CK(cudaMemcpy(c.data(), cuts, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int b = 0; b < blocks; b += blocks / 150) {
        int want = 0;
        for (int t = 0; t < 256; t++) {
            u64 h = 0;
            for (int k = 0; k < WIN; k++) h = (h * BASE + stream((unsigned)(b * 256 + t + k))) % PRIME;
            want += (h & 0x1fff) == 0;
        }
        ok = ok && want == c[b];
    }
    long all = 0;
    for (int v : c) all += v;
    ok = ok && close_to((double)all, N / 8192.0, 0.1);
    CK(cudaFree(s)); CK(cudaFree(cuts));
    return report(ok);
}
