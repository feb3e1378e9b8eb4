// Nanopore reads against candidate places in a genome: banded Smith-Waterman, a read
// per thread, bases packed in two bits.
#include "common.h"
#include <thrust/device_ptr.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

const int BAND = 16;

__host__ __device__ inline unsigned hash32(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__host__ __device__ inline unsigned bits32(const unsigned *w, unsigned base)
{
    unsigned at = base >> 4, shift = (base & 15) * 2;
    unsigned long long v = w[at] | (unsigned long long)w[at + 1] << 32;
    return (unsigned)(v >> shift);
}

__host__ __device__ inline int align_read(const unsigned *read, int length,
                                          const unsigned *genome, unsigned start)
{
    int h[BAND];
#pragma unroll
    for (int j = 0; j < BAND; j++) h[j] = 0;
    int best = 0;
    unsigned long long window = bits32(genome, start);
    for (int k = 0; k < length; k += 16) {
        unsigned bases = read[k >> 4];
        window |= (unsigned long long)bits32(genome, start + k + 16) << 32;
        int end = length - k < 16 ? length - k : 16;
        for (int b = 0; b < end; b++) {
            unsigned r = bases & 3;
            bases >>= 2;
            int left = 0;
#pragma unroll
            for (int j = 0; j < BAND; j++) {
                int match = (unsigned)(window >> 2 * j & 3) == r ? 2 : -3;
                int up = j + 1 < BAND ? h[j + 1] - 4 : 0;
                int v = h[j] + match;
                v = v > up ? v : up;
                v = v > left - 4 ? v : left - 4;
                v = v > 0 ? v : 0;
                h[j] = left = v;
                best = best > v ? best : v;
            }
            window >>= 2;
        }
    }
    return best;
}

// A read is a copy of the genome with one base in twelve changed.
__global__ void sequence(const unsigned *genome, const unsigned *place, const int *length,
                         const unsigned *offset, unsigned *reads, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < length[i]; k += 16) {
        unsigned v = bits32(genome, place[i] + k + 4);
        unsigned e = hash32(i * 977u + k);
        if (e & 1) v ^= 1u << (e >> 8 & 31);
        if (e & 2) v ^= 1u << (e >> 16 & 31);
        reads[offset[i] + (k >> 4)] = v;
    }
}

__global__ void align(const unsigned *__restrict__ reads,
                      const unsigned *__restrict__ offset, const int *__restrict__ length,
                      const unsigned *__restrict__ genome,
                      const unsigned *__restrict__ place, const int *__restrict__ order,
                      int n, int shift, int *score)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int i = order[t];
    int s = align_read(reads + offset[i], length[i], genome, place[i] + shift);
    if (s > score[i]) score[i] = s;
}

int main(int argc, char **argv)
{
    int candidates = argc > 1 ? atoi(argv[1]) : 16;
    int n = argc > 2 ? atoi(argv[2]) : 1 << 20;
    const unsigned genome_words = 1u << 22;
    std::vector<unsigned> genome(genome_words + 1024), place(n), offset(n + 1);
    std::vector<int> length(n), order(n);
    for (unsigned i = 0; i < genome.size(); i++) genome[i] = hash32(i + 5u);
    unsigned total = 0;
    for (int i = 0; i < n; i++) {
        float u = (hash32(i * 2u) >> 8) / 16777216.f;
        length[i] = std::min(6000, 60 + (int)(-600 * logf(1 - u)));
        place[i] = hash32(i * 2u + 1) % (genome_words * 16 - 8192);
        offset[i] = total;
        total += (length[i] + 15) / 16;
        order[i] = i;
    }
    unsigned *dg, *dp, *doff, *dr;
    int *dl, *dorder, *ds;
    CK(cudaMalloc(&dg, genome.size() * 4));
    CK(cudaMalloc(&dp, n * 4ul));
    CK(cudaMalloc(&doff, n * 4ul));
    CK(cudaMalloc(&dl, n * 4ul));
    CK(cudaMalloc(&dorder, n * 4ul));
    CK(cudaMalloc(&ds, n * 4ul));
    CK(cudaMalloc(&dr, total * 4ul));
    CK(cudaMemcpy(dg, genome.data(), genome.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dp, place.data(), n * 4ul, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(doff, offset.data(), n * 4ul, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dl, length.data(), n * 4ul, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dorder, order.data(), n * 4ul, cudaMemcpyHostToDevice));
    CK(cudaMemset(ds, 0, n * 4ul));
    sequence<<<(n + 127) / 128, 128>>>(dg, dp, dl, doff, dr, n);
    CK(cudaGetLastError());
#ifdef GOOD
    int *key;
    CK(cudaMalloc(&key, n * 4ul));
    CK(cudaMemcpy(key, dl, n * 4ul, cudaMemcpyDeviceToDevice));
    thrust::sort_by_key(thrust::device_ptr<int>(key), thrust::device_ptr<int>(key + n),
                        thrust::device_ptr<int>(dorder), thrust::greater<int>());
    CK(cudaFree(key));
#endif
    for (int c = 0; c < candidates; c++) {
        align<<<(n + 127) / 128, 128>>>(dr, doff, dl, dg, dp, dorder, n, c, ds);
        CK(cudaGetLastError());
    }
    std::vector<int> score(n);
    CK(cudaMemcpy(score.data(), ds, n * 4ul, cudaMemcpyDeviceToHost));
    std::vector<unsigned> reads(total);
    CK(cudaMemcpy(reads.data(), dr, total * 4ul, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += n / 50 + 1) {
        int best = 0;
        for (int c = 0; c < candidates; c++)
            best = std::max(best, align_read(reads.data() + offset[i], length[i],
                                             genome.data(), place[i] + c));
        ok &= best == score[i] && best > length[i] / 4;
    }
    unsigned long long check = 0;
    for (int i = 0; i < n; i++) check = check * 31 + score[i];
    printf("checksum %016llx\n", check);
    return report(ok);
}
