// Which species are in the sample? Every k-mer of the sample (as a 32-bit hash) is looked up in the
// one-hash Bloom filters of 64 species, 16 MB each, and the hits are counted for each species.
#include "common.h"

static const int SPECIES = 64;
static const unsigned WORDS = 1u << 22;         // words in a filter
static const unsigned KMERS = 1u << 22;
static const int EACH = 16, THREADS = 256, CHUNK = EACH * THREADS;

__host__ __device__ inline unsigned scramble(unsigned h)
{
    h ^= h >> 16; h *= 0x85EBCA6Bu; h ^= h >> 13; h *= 0xC2B2AE35u; h ^= h >> 16;
    return h;
}

__host__ __device__ inline unsigned filter_word(unsigned species, unsigned w)
{
    unsigned h = scramble(w + species * 0x9E3779B9u);
    return h & scramble(h + 1u);                // a quarter of the bits
}

__global__ void build(unsigned *f)
{
    unsigned w = blockIdx.x * blockDim.x + threadIdx.x;
    f[(size_t)blockIdx.y * WORDS + w] = filter_word(blockIdx.y, w);
}

__global__ void read_sample(unsigned *q)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    q[i] = scramble(i ^ 0xA5A5A5A5u);
}

__global__ void __launch_bounds__(THREADS) classify(const unsigned *__restrict__ filters, const unsigned *__restrict__ kmers,
                                                    unsigned long long *hits)
{
#ifdef GOOD
    const int species = blockIdx.y, chunk = blockIdx.x;
#else
    const int species = blockIdx.x, chunk = blockIdx.y;
#endif
    __shared__ int part[THREADS / 32];
    const unsigned *f = filters + (size_t)species * WORDS;
    const unsigned *q = kmers + (size_t)chunk * CHUNK;
    int n = 0;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        unsigned h = q[k * THREADS + threadIdx.x] >> 5;     // 27 bits: the word and the bit
        n += (f[h >> 5] >> (h & 31)) & 1;
    }
    n = __reduce_add_sync(0xffffffffu, n);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = n;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) n += part[w];
        atomicAdd(&hits[species], (unsigned long long)n);
    }
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 20;
    unsigned *filters, *kmers;
    unsigned long long *hits;
    CK(cudaMalloc(&filters, sizeof(unsigned) * (size_t)SPECIES * WORDS));
    CK(cudaMalloc(&kmers, sizeof(unsigned) * KMERS));
    CK(cudaMalloc(&hits, sizeof(unsigned long long) * SPECIES));
    CK(cudaMemset(hits, 0, sizeof(unsigned long long) * SPECIES));
    build<<<dim3(WORDS / 256, SPECIES), 256>>>(filters);
    read_sample<<<KMERS / 256, 256>>>(kmers);
    CK(cudaGetLastError());
#ifdef GOOD
    dim3 grid(KMERS / CHUNK, SPECIES);
#else
    dim3 grid(SPECIES, KMERS / CHUNK);
#endif
    for (int s = 0; s < samples; ++s)
        classify<<<grid, THREADS>>>(filters, kmers, hits);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<unsigned long long> h(SPECIES);
    CK(cudaMemcpy(h.data(), hits, sizeof(unsigned long long) * SPECIES, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int s : {0, 41}) {
        unsigned long long n = 0;
        for (unsigned i = 0; i < KMERS; ++i) {
            unsigned q = scramble(i ^ 0xA5A5A5A5u) >> 5;
            n += (filter_word(s, q >> 5) >> (q & 31)) & 1;
        }
        ok = ok && h[s] == n * samples;
    }
    CK(cudaFree(filters)); CK(cudaFree(kmers)); CK(cudaFree(hits));
    return report(ok);
}
