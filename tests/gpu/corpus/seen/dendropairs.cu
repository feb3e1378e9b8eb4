// All-against-all mismatch counts of aligned sequences (2 bits per base), upper triangle only,
// as the input of a tree builder. Each block owns a set of rows of the triangle.
#include "common.h"

const int N = 84480, WORDS = 16, BLOCKS = 132, THREADS = 768;      // 16 words = 256 bases

__global__ void make_seqs(unsigned *s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N * WORDS) return;
    unsigned x = i * 2654435761u + 99u;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u;
    s[i] = x ^ (x >> 16);
}

#ifdef __CUDA_ARCH__
#define POP(x) __popc(x)
#else
#define POP(x) __builtin_popcount(x)
#endif

// differing bases count one, differing bits one more each
__device__ __host__ inline unsigned penalty(unsigned a, unsigned b)
{
    unsigned d = a ^ b;
    return POP(d) + POP((d | (d >> 1)) & 0x55555555u);
}

// s is stored word-major: word w of sequence i is s[w * N + i]. A block does two rows at a time.
__global__ void __launch_bounds__(THREADS) pair_scores(const unsigned *__restrict__ s, unsigned long long *__restrict__ rowsum)
{
    __shared__ unsigned long long total[2];
    const int per = N / 2 / BLOCKS;
    for (int r = 0; r < per; r++) {
#ifdef GOOD
        int q = (r & 1) ? (r + 1) * BLOCKS - 1 - blockIdx.x : r * BLOCKS + blockIdx.x;
#else
        int q = blockIdx.x * per + r;
#endif
        int i = 2 * q;
        if (threadIdx.x < 2) total[threadIdx.x] = 0;
        unsigned row0[WORDS], row1[WORDS];
#pragma unroll
        for (int w = 0; w < WORDS; w++) { row0[w] = s[w * N + i]; row1[w] = s[w * N + i + 1]; }
        __syncthreads();
        unsigned sum0 = 0, sum1 = 0;
        for (int j = i + 1 + threadIdx.x; j < N; j += THREADS) {
            unsigned d0 = 0, d1 = 0;
#pragma unroll
            for (int w = 0; w < WORDS; w++) {
                unsigned b = s[w * N + j];
                d0 += penalty(row0[w], b);
                d1 += penalty(row1[w], b);
            }
            sum0 += d0;
            sum1 += d1;               // zero for j == i + 1
        }
        sum0 = __reduce_add_sync(0xffffffffu, sum0);
        sum1 = __reduce_add_sync(0xffffffffu, sum1);
        if ((threadIdx.x & 31) == 0) {
            atomicAdd(&total[0], (unsigned long long)sum0);
            atomicAdd(&total[1], (unsigned long long)sum1);
        }
        __syncthreads();
        if (threadIdx.x < 2) rowsum[i + threadIdx.x] = total[threadIdx.x];
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    unsigned *s;
    unsigned long long *rs;
    CK(cudaMalloc(&s, (size_t)N * WORDS * 4));
    CK(cudaMalloc(&rs, N * sizeof(*rs)));
    make_seqs<<<(N * WORDS + 255) / 256, 256>>>(s);
    CK(cudaGetLastError());
    for (int r = 0; r < reps; r++)
        pair_scores<<<BLOCKS, THREADS>>>(s, rs);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<unsigned> h((size_t)N * WORDS);
    std::vector<unsigned long long> hr(N);
    CK(cudaMemcpy(h.data(), s, h.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hr.data(), rs, N * sizeof(*rs), cudaMemcpyDeviceToHost));
    bool ok = hr[N - 1] == 0;
    for (int i = 0; i < N - 1; i += 9001) {
        unsigned long long a = 0;
        for (int w = 0; w < WORDS; w++)
            for (int j = i + 1; j < N; j++)
                a += penalty(h[(size_t)w * N + i], h[(size_t)w * N + j]);
        ok = ok && a == hr[i];
    }
    CK(cudaFree(s));
    CK(cudaFree(rs));
    return report(ok);
}
