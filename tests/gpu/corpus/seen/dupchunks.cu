// File deduplication: all chunks of 2 KB of an archive get a salted 64-bit fingerprint, then for every
// fingerprint the first chunk that has it is looked up in a table; later ones are duplicates.
// usage: dupchunks chunks salts
#include "common.h"

#define CHUNKWORDS 512

__host__ __device__ inline unsigned mixbits(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

// where word w of chunk c stands in the archive buffer
__host__ __device__ inline size_t wordAt(int c, int w, int chunks)
{
#ifdef GOOD
    return (size_t)w * chunks + c;
#else
    (void)chunks;
    return (size_t)c * CHUNKWORDS + w;
#endif
}

// every ninth chunk is a copy of an earlier one
__host__ __device__ inline int original(int c) { return c % 9 == 8 ? c / 9 * 4 / 9 * 9 : c; }

__host__ __device__ inline unsigned content(int c, int w) { return mixbits((unsigned)original(c) * 2654435761u + w); }

__host__ __device__ inline void absorb(uint2 &h, unsigned word)
{
    h.x = (h.x ^ word) * 0x01000193u;
    h.y = (h.y + word) * 0x9e3779b1u;
    h.y ^= h.x >> 13;
}

__global__ void load_archive(unsigned *data, int chunks)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < chunks)
        for (int w = blockIdx.y; w < CHUNKWORDS; w += gridDim.y) data[wordAt(c, w, chunks)] = content(c, w);
}

__global__ void fingerprint(const unsigned *__restrict__ data, uint2 *print, int chunks, unsigned salt)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= chunks) return;
    uint2 h = make_uint2(0x811c9dc5u ^ salt, salt * 31u + 7u);
    #pragma unroll 8
    for (int w = 0; w < CHUNKWORDS; ++w) absorb(h, data[wordAt(c, w, chunks)]);
    print[c] = h;
}

__global__ void first_owner(const uint2 *print, int *table, int slots, int chunks)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < chunks) atomicMin(&table[(print[c].x ^ (print[c].y >> 7)) & (slots - 1)], c);
}

__global__ void find_dups(const uint2 *print, const int *table, int slots, int *dup, int chunks)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= chunks) return;
    uint2 p = print[c];
    int o = table[(p.x ^ (p.y >> 7)) & (slots - 1)];
    dup[c] = o < c && print[o].x == p.x && print[o].y == p.y ? o : -1;
}

int main(int argc, char **argv)
{
    int chunks = argc > 1 ? atoi(argv[1]) : 262144;
    int salts = argc > 2 ? atoi(argv[2]) : 600;
    const int slots = 1 << 22;
    unsigned *data; uint2 *print; int *table, *dup;
    CK(cudaMalloc(&data, (size_t)chunks * CHUNKWORDS * sizeof(unsigned)));
    CK(cudaMalloc(&print, chunks * sizeof(uint2)));
    CK(cudaMalloc(&table, slots * sizeof(int)));
    CK(cudaMalloc(&dup, chunks * sizeof(int)));
    const int grid = (chunks + 127) / 128;
    load_archive<<<dim3(grid, 16), 128>>>(data, chunks);
    for (int k = 0; k < salts; ++k) {
        fingerprint<<<grid, 128>>>(data, print, chunks, 1000u + k);
        CK(cudaMemsetAsync(table, 0x7f, slots * sizeof(int)));
        first_owner<<<grid, 128>>>(print, table, slots, chunks);
        find_dups<<<grid, 128>>>(print, table, slots, dup, chunks);
    }
    CK(cudaGetLastError());
    std::vector<uint2> got(chunks);
    std::vector<int> d(chunks);
    CK(cudaMemcpy(got.data(), print, chunks * sizeof(uint2), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(d.data(), dup, chunks * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    int found = 0, copies = 0;
    for (int c = 0; c < chunks; ++c) {
        if (d[c] >= 0) { ++found; ok = ok && original(d[c]) == original(c); }
        if (original(c) < c) ++copies;
    }
    ok = ok && found <= copies && found >= copies * 0.9;       // a few hide behind an occupied slot
    for (int t = 0; t < 9; ++t) {
        int c = (int)((long long)t * (chunks - 1) / 8);
        uint2 h = make_uint2(0x811c9dc5u ^ (1000u + salts - 1), (1000u + salts - 1) * 31u + 7u);
        for (int w = 0; w < CHUNKWORDS; ++w) absorb(h, content(c, w));
        ok = ok && h.x == got[c].x && h.y == got[c].y;
    }
    printf("%d of %d copies found\n", found, copies);
    CK(cudaFree(data)); CK(cudaFree(print)); CK(cudaFree(table)); CK(cudaFree(dup));
    return report(ok);
}
