// Trimming of sequencing reads by quality (the BWA rule): cut at the place p for which the sum of
// (threshold - quality) from p to the end of the read is the largest. Reads of 128 bases.
#include "common.h"

static const int LEN = 128;
static const int READS = 1 << 20;
static const int SETS = 4;                      // batches of reads on the card

__host__ __device__ inline int quality(unsigned r, unsigned p)
{
    unsigned h = r * 0x9E3779B1u ^ p * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    int q = 38 - (int)((p * (r % 97)) >> 8) - (int)(h & 7);
    return q < 2 ? 2 : q;
}

__global__ void sequence(signed char *q, unsigned first)
{
    unsigned r = blockIdx.x, p = threadIdx.x;
    q[(size_t)r * LEN + p] = (signed char)quality(first + r, p);
}

#ifdef GOOD
__global__ void __launch_bounds__(128) trim(const signed char *__restrict__ q, unsigned char *__restrict__ cut, int threshold)
{
    const int lane = threadIdx.x & 31;
    const int r = blockIdx.x * 4 + (threadIdx.x >> 5);
    char4 c = *(const char4 *)(q + (size_t)r * LEN + lane * 4);
    int s3 = threshold - c.w, s2 = s3 + threshold - c.z, s1 = s2 + threshold - c.y, s0 = s1 + threshold - c.x;
    int after = s0;                             // sums to the end of the read
    for (int d = 1; d < 32; d <<= 1) {
        int o = __shfl_down_sync(0xffffffffu, after, d);
        if (lane + d < 32) after += o;
    }
    after -= s0;
    int p = lane * 4;
    int best = LEN;                             // key: sum * 256 + place; nothing positive: cut nothing
    best = max(best, (after + s3) > 0 ? (after + s3) * 256 + p + 3 : 0);
    best = max(best, (after + s2) > 0 ? (after + s2) * 256 + p + 2 : 0);
    best = max(best, (after + s1) > 0 ? (after + s1) * 256 + p + 1 : 0);
    best = max(best, (after + s0) > 0 ? (after + s0) * 256 + p : 0);
    best = __reduce_max_sync(0xffffffffu, best);
    if (lane == 0) cut[r] = (unsigned char)(best & 255);
}
static const int READS_PER_BLOCK = 4;
#else
__global__ void __launch_bounds__(128) trim(const signed char *__restrict__ q, unsigned char *__restrict__ cut, int threshold)
{
    __shared__ signed char read[LEN];
    const int r = blockIdx.x;
    read[threadIdx.x] = q[(size_t)r * LEN + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0, best = 0, place = LEN;
        for (int p = LEN - 1; p >= 0; --p) {
            sum += threshold - read[p];
            if (sum > best) { best = sum; place = p; }
        }
        cut[r] = (unsigned char)place;
    }
}
static const int READS_PER_BLOCK = 1;
#endif

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 300;
    const int threshold = 20;
    signed char *q;
    unsigned char *cut;
    CK(cudaMalloc(&q, (size_t)SETS * READS * LEN));
    CK(cudaMalloc(&cut, (size_t)SETS * READS));
    CK(cudaMemset(cut, 0, (size_t)SETS * READS));
    for (int s = 0; s < SETS; ++s)
        sequence<<<READS, LEN>>>(q + (size_t)s * READS * LEN, s * READS);
    CK(cudaGetLastError());
    for (int b = 0; b < batches; ++b) {
        size_t s = b % SETS;
        trim<<<READS / READS_PER_BLOCK, 128>>>(q + s * READS * LEN, cut + s * READS, threshold);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<unsigned char> got((size_t)READS);
    CK(cudaMemcpy(got.data(), cut, READS, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 0; r < READS; r += 97) {
        int sum = 0, best = 0, place = LEN;
        for (int p = LEN - 1; p >= 0; --p) {
            sum += threshold - quality(r, p);
            if (sum > best) { best = sum; place = p; }
        }
        ok = ok && got[r] == place;
    }
    CK(cudaFree(q)); CK(cudaFree(cut));
    return report(ok);
}
