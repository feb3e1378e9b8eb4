// Column compression (frame of reference): pages of 1024 integers are stored as their minimum and the differences
// to it with as many bits as the page needs. A warp packs a page, each lane 32 values into its own words.
// usage: lanepack pages parts
#include "common.h"

#define PAGE 1024
#define WARPS 8
#define CHUNKS 4             // columns in memory that are compressed in turn

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline unsigned valueOf(unsigned i)
{
    unsigned page = i / PAGE, bits = 8 + scramble(page) % 9;
    return (scramble(page + 99u) >> 4) + (scramble(i) & ((1u << bits) - 1));
}

__global__ void load_column(unsigned *value, unsigned n, unsigned from)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value[i] = valueOf(from + i);
}

// page p goes to the words from p * PAGE on; directory: minimum, bits
__global__ void pack(const unsigned *__restrict__ value, unsigned *__restrict__ out, uint2 *__restrict__ directory,
                     int pages)
{
    const int page = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (page >= pages) return;
    const unsigned *in = value + (size_t)page * PAGE + lane;
    unsigned v[32], low = 0xffffffffu, high = 0;
    #pragma unroll
    for (int k = 0; k < 32; ++k) v[k] = in[k * 32];
    #pragma unroll
    for (int k = 0; k < 32; ++k) { low = min(low, v[k]); high = max(high, v[k]); }
    low = __reduce_min_sync(0xffffffffu, low);
    high = __reduce_max_sync(0xffffffffu, high);
    const int bits = 32 - __clz((int)(high - low));
    unsigned *o = out + (size_t)page * PAGE + lane;
    unsigned long long word = 0;
    int fill = 0;
    #pragma unroll
    for (int k = 0; k < 32; ++k) {
        word |= (unsigned long long)(v[k] - low) << fill;
        fill += bits;
        if (fill >= 32) {
            *o = (unsigned)word;
            o += 32;
            word >>= 32;
            fill -= 32;
        }
    }
    if (lane == 0) directory[page] = make_uint2(low, (unsigned)bits);
}

int main(int argc, char **argv)
{
    int pages = argc > 1 ? atoi(argv[1]) : 32768;
    int parts = argc > 2 ? atoi(argv[2]) : 1200;
    const unsigned n = (unsigned)pages * PAGE;
    unsigned *value[CHUNKS];
    for (unsigned c = 0; c < CHUNKS; ++c) {
        CK(cudaMalloc(&value[c], n * sizeof(unsigned)));
        load_column<<<1056, 256>>>(value[c], n, c * n);
    }
    std::vector<unsigned> packed(n);
    std::vector<uint2> dir(pages);
    unsigned *out; uint2 *directory;
#ifdef GOOD
    CK(cudaMalloc(&out, n * sizeof(unsigned)));
    CK(cudaMalloc(&directory, pages * sizeof(uint2)));
#endif
    for (int p = 0; p < parts; ++p) {
#ifndef GOOD
        CK(cudaMalloc(&out, n * sizeof(unsigned)));
        CK(cudaMalloc(&directory, pages * sizeof(uint2)));
#endif
        pack<<<(pages + WARPS - 1) / WARPS, WARPS * 32>>>(value[p % CHUNKS], out, directory, pages);
        CK(cudaGetLastError());
        if (p == parts - 1) {
            CK(cudaMemcpy(packed.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
            CK(cudaMemcpy(dir.data(), directory, pages * sizeof(uint2), cudaMemcpyDeviceToHost));
        }
#ifndef GOOD
        CK(cudaFree(out)); CK(cudaFree(directory));
#endif
    }
#ifdef GOOD
    CK(cudaFree(out)); CK(cudaFree(directory));
#endif

    bool ok = true;
    const unsigned from = (unsigned)((parts - 1) % CHUNKS) * n;
    double bits = 0;
    for (uint2 d : dir) bits += d.y;
    for (int page = 0; page < pages; page += page % 3 ? 5 : 11) {
        unsigned b = dir[page].y;
        ok = ok && b > 0 && b <= 16;
        for (int i = 0; ok && i < PAGE; i += 7) {
            unsigned k = i / 32, lane = i % 32, at = k * b;
            const unsigned *w = &packed[(size_t)page * PAGE + lane];
            unsigned long long two = w[at / 32 * 32];
            if (at / 32 + 1 < b) two |= (unsigned long long)w[(at / 32 + 1) * 32] << 32;
            unsigned got = dir[page].x + (unsigned)((two >> (at % 32)) & ((1ull << b) - 1));
            ok = ok && got == valueOf(from + (unsigned)page * PAGE + i);
        }
    }
    printf("%.2f bits per value\n", bits / pages);
    for (auto v : value) CK(cudaFree(v));
    return report(ok);
}
