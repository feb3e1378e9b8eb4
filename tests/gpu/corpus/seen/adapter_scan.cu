// Adapter search in sequencing reads: each batch of reads is brought to the card, every
// read is compared at all offsets with a list of 32-base adapters (two bits per base),
// and the fewest mismatches come back.
#include "common.h"
typedef unsigned long long u64;

#ifndef READS
#define READS 4096
#endif
#define SLOT 256          // bytes reserved per read on the card
#define ADAPTERS 4096

__global__ void __launch_bounds__(256) match(const unsigned char *__restrict__ reads, const int *__restrict__ len,
                                             const u64 *__restrict__ adapter, int *__restrict__ best)
{
    __shared__ unsigned char base[SLOT];
    __shared__ u64 window[SLOT];
    __shared__ int least;
    int t = threadIdx.x, n = len[blockIdx.x], offs = n - 31;
    base[t] = reads[(size_t)blockIdx.x * SLOT + t];
    if (t == 0) least = 32;
    __syncthreads();
    if (t < offs) {
        u64 w = 0;
        for (int q = 0; q < 32; q++) w |= (u64)(base[t + q] & 3) << (2 * q);
        window[t] = w;
    }
    __syncthreads();
    int low = 32;
    for (int a = t; a < ADAPTERS; a += 256) {
        u64 pat = adapter[a];
#pragma unroll 4
        for (int o = 0; o < offs; o++) {
            u64 d = window[o] ^ pat;
            low = min(low, __popcll((d | (d >> 1)) & 0x5555555555555555ull));
        }
    }
    for (int d = 16; d > 0; d >>= 1) low = min(low, __shfl_xor_sync(0xffffffffu, low, d));
    if ((t & 31) == 0) atomicMin(&least, low);
    __syncthreads();
    if (t == 0) best[blockIdx.x] = least;
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 25;
    unsigned seed = 1234;
    // the pool of reads as they came from the sequencer, back to back in pinned memory
    std::vector<int> length(READS);
    std::vector<size_t> where(READS);
    size_t bytes = 0;
    for (int r = 0; r < READS; r++) {
        length[r] = 180 + (int)(frand(seed) * 70);
        where[r] = bytes;
        bytes += length[r];
    }
    unsigned char *pool, *reads;
    CK(cudaMallocHost(&pool, bytes));
    for (size_t k = 0; k < bytes; k++) pool[k] = (unsigned char)(lcg(seed) >> 30);
    std::vector<u64> adapter(ADAPTERS);
    for (auto &a : adapter) a = ((u64)lcg(seed) << 32) ^ (lcg(seed) >> 3);

    int *dlen, *dbest, *best;
    u64 *dadapter;
    CK(cudaMalloc(&reads, (size_t)READS * SLOT));
    CK(cudaMemset(reads, 0, (size_t)READS * SLOT));
    CK(cudaMalloc(&dlen, READS * sizeof(int)));
    CK(cudaMalloc(&dbest, READS * sizeof(int)));
    CK(cudaMalloc(&dadapter, ADAPTERS * sizeof(u64)));
    CK(cudaMallocHost(&best, READS * sizeof(int)));
    CK(cudaMemcpy(dlen, length.data(), READS * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dadapter, adapter.data(), ADAPTERS * sizeof(u64), cudaMemcpyHostToDevice));
#ifdef GOOD
    unsigned char *stage;
    CK(cudaMallocHost(&stage, (size_t)READS * SLOT));
    memset(stage, 0, (size_t)READS * SLOT);
#endif
    auto turn = [](int r, int b) { return (r + 17 * b) % READS; };   // another order in each batch
    int *plen;
    CK(cudaMallocHost(&plen, READS * sizeof(int)));
    for (int b = 0; b < batches; b++) {
        for (int r = 0; r < READS; r++) {
            int q = turn(r, b);
            plen[r] = length[q];
#ifdef GOOD
            memcpy(stage + (size_t)r * SLOT, pool + where[q], length[q]);
#else
            CK(cudaMemcpyAsync(reads + (size_t)r * SLOT, pool + where[q], length[q], cudaMemcpyHostToDevice));
#endif
        }
#ifdef GOOD
        CK(cudaMemcpyAsync(reads, stage, (size_t)READS * SLOT, cudaMemcpyHostToDevice));
#endif
        CK(cudaMemcpyAsync(dlen, plen, READS * sizeof(int), cudaMemcpyHostToDevice));
        match<<<READS, 256>>>(reads, dlen, dadapter, dbest);
        CK(cudaMemcpyAsync(best, dbest, READS * sizeof(int), cudaMemcpyDeviceToHost));
        CK(cudaStreamSynchronize(0));
    }
    CK(cudaGetLastError());

    bool ok = true;
    for (int t = 0; t < 12; t++) {
        int r = (t * 331 + 5) % READS, q = turn(r, batches - 1), low = 32;
        for (int o = 0; o + 32 <= length[q]; o++) {
            u64 w = 0;
            for (int k = 0; k < 32; k++) w |= (u64)(pool[where[q] + o + k] & 3) << (2 * k);
            for (int a = 0; a < ADAPTERS; a++) {
                u64 d = w ^ adapter[a];
                low = std::min(low, __builtin_popcountll((d | (d >> 1)) & 0x5555555555555555ull));
            }
        }
        ok = ok && best[r] == low;
    }
    CK(cudaFree(reads)); CK(cudaFree(dlen)); CK(cudaFree(dbest)); CK(cudaFree(dadapter));
#ifdef GOOD
    CK(cudaFreeHost(stage));
#endif
    CK(cudaFreeHost(pool)); CK(cudaFreeHost(best)); CK(cudaFreeHost(plen));
    return report(ok);
}
