// Deduplicating backup store: a 32-bit Murmur digest of every 1 KB page, one thread per page.
#include "common.h"

const int WORDS = 256;                 // 1 KB pages
const unsigned NPAGE = 1u << 19;

__host__ __device__ inline size_t place(unsigned page, unsigned w)
{
#ifdef GOOD
    return (size_t)w * NPAGE + page;   // word-major staging area
#else
    return (size_t)page * WORDS + w;   // pages as they come from disk
#endif
}

__host__ __device__ inline unsigned content(unsigned page, unsigned w)
{
    unsigned h = (page % 100003u) * 0x9e3779b1u + w * 0x85ebca77u;
    h ^= h >> 13; h *= 0xc2b2ae3du;
    return h ^ (h >> 16);
}

__host__ __device__ inline unsigned rotl(unsigned x, int r) { return (x << r) | (x >> (32 - r)); }

__host__ __device__ inline unsigned mixin(unsigned h, unsigned k)
{
    k *= 0xcc9e2d51u; k = rotl(k, 15); k *= 0x1b873593u;
    h ^= k; h = rotl(h, 13);
    return h * 5u + 0xe6546b64u;
}

__host__ __device__ inline unsigned finish(unsigned h)
{
    h ^= WORDS * 4u;
    h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u;
    return h ^ (h >> 16);
}

__global__ void load_pages(unsigned *store)
{
    size_t total = (size_t)NPAGE * WORDS;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < total; i += (size_t)gridDim.x * blockDim.x) {
        unsigned page = (unsigned)(i / WORDS), w = (unsigned)(i % WORDS);
        store[place(page, w)] = content(page, w);
    }
}

__global__ void digest(const unsigned *__restrict__ store, unsigned *__restrict__ out, unsigned seed)
{
    unsigned page = blockIdx.x * blockDim.x + threadIdx.x;
    if (page >= NPAGE) return;
    unsigned h = seed;
    for (int w = 0; w < WORDS; w++)
        h = mixin(h, store[place(page, w)]);
    out[page] = finish(h);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 200;
    unsigned *store, *out;
    CK(cudaMalloc(&store, (size_t)NPAGE * WORDS * 4));
    CK(cudaMalloc(&out, NPAGE * 4u));
    load_pages<<<4096, 256>>>(store);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++)
        digest<<<NPAGE / 256, 256>>>(store, out, 0x51ed270bu + r);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<unsigned> d(NPAGE);
    CK(cudaMemcpy(d.data(), out, NPAGE * 4u, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned p = 0; p < NPAGE; p += 5237) {
        unsigned h = 0x51ed270bu + (rounds - 1);
        for (int w = 0; w < WORDS; w++) h = mixin(h, content(p, w));
        ok = ok && finish(h) == d[p];
    }
    ok = ok && d[7] == d[7 + 100003];     // a planted duplicate
    CK(cudaFree(store)); CK(cudaFree(out));
    return report(ok);
}
