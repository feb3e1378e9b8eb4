// Translation memory: phrases are looked up by a 32-bit key in a table of buckets with four entries each.
// usage: phrasebuckets queries repetitions
#include "common.h"

#define BUCKET_BITS 23       // 8M buckets of 16 bytes
#define SHARD_BITS 5
#define MISS 0xffffffffu

__host__ __device__ inline unsigned stir(unsigned h)
{
    h ^= h >> 16; h *= 2246822519u; h ^= h >> 13; h *= 3266489917u; h ^= h >> 16;
    return h;
}
__host__ __device__ inline uint4 bucketOf(unsigned b) { return make_uint4(stir(4 * b), stir(4 * b + 1), stir(4 * b + 2), stir(4 * b + 3)); }

// an entry has a mark of 4 bits and the number of the translation
__host__ __device__ inline unsigned pick(uint4 b, unsigned key)
{
    unsigned mark = (key * 2654435761u) >> 28, hit = MISS;
    if (b.w >> 28 == mark) hit = b.w & 0xfffffffu;
    if (b.z >> 28 == mark) hit = b.z & 0xfffffffu;
    if (b.y >> 28 == mark) hit = b.y & 0xfffffffu;
    if (b.x >> 28 == mark) hit = b.x & 0xfffffffu;
    return hit;
}

__global__ void learn(uint4 *table)
{
    unsigned b = blockIdx.x * blockDim.x + threadIdx.x;
    table[b] = bucketOf(b);
}

__global__ void __launch_bounds__(256) recall(const uint4 *__restrict__ table, const uint4 *__restrict__ keys,
                                              uint4 *__restrict__ hits, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    const uint4 k = keys[i];
    const uint4 a = table[k.x >> (32 - BUCKET_BITS)], b = table[k.y >> (32 - BUCKET_BITS)];
    const uint4 c = table[k.z >> (32 - BUCKET_BITS)], d = table[k.w >> (32 - BUCKET_BITS)];
    hits[i] = make_uint4(pick(a, k.x), pick(b, k.y), pick(c, k.z), pick(d, k.w));
}

int main(int argc, char **argv)
{
    const int n = (argc > 1 ? atoi(argv[1]) : 16777216) / 4 * 4, reps = argc > 2 ? atoi(argv[2]) : 3500;
    std::vector<unsigned> key(n), hit(n);
    for (int i = 0; i < n; ++i) key[i] = stir((unsigned)i * 2654435761u + 17u);
#ifdef GOOD
    // the phrases by the part of the table in which they are looked up
    std::vector<unsigned> sorted(n);
    size_t at[(1 << SHARD_BITS) + 1] = {};
    for (unsigned k : key) at[(k >> (32 - SHARD_BITS)) + 1]++;
    for (int s = 0; s < 1 << SHARD_BITS; ++s) at[s + 1] += at[s];
    for (unsigned k : key) sorted[at[k >> (32 - SHARD_BITS)]++] = k;
    key.swap(sorted);
#endif
    uint4 *table, *keys, *hits;
    CK(cudaMalloc(&table, sizeof(uint4) << BUCKET_BITS));
    CK(cudaMalloc(&keys, n * sizeof(unsigned)));
    CK(cudaMalloc(&hits, n * sizeof(unsigned)));
    CK(cudaMemcpy(keys, key.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    learn<<<(1 << BUCKET_BITS) / 256, 256>>>(table);
    for (int r = 0; r < reps; ++r) recall<<<(n / 4 + 255) / 256, 256>>>(table, keys, hits, n / 4);
    CK(cudaGetLastError());
    CK(cudaMemcpy(hit.data(), hits, n * sizeof(unsigned), cudaMemcpyDeviceToHost));

    int bad = 0, found = 0;
    for (int i = 0; i < n; ++i) {
        found += hit[i] != MISS;
        if (i % 101 == 0) bad += hit[i] != pick(bucketOf(key[i] >> (32 - BUCKET_BITS)), key[i]);
    }
    printf("%d of %d phrases found, %d wrong\n", found, n, bad);
    CK(cudaFree(table)); CK(cudaFree(keys)); CK(cudaFree(hits));
    return report(bad == 0 && found > 0);
}
