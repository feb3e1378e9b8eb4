// Folding of many RNA sequences: the largest number of base pairs (Nussinov), diagonal
// after diagonal.
//   nussinov [sequences] [length]
#include "common.h"

typedef short score;

__host__ __device__ inline char base(unsigned seq, unsigned i)
{
    unsigned h = seq * 7919u + i * 104729u;
    h ^= h >> 7; h *= 2654435761u;
    return h >> 30;                       // A C G U
}

__host__ __device__ inline int pairs(int a, int b) { return a + b == 3 || (a + b == 5 && a != b); }

// best[s][i][j]; GOOD keeps the transposed as well.
__global__ void diagonal(const char *__restrict__ seqs, score *best, score *turned, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + d;
    if (j >= n) return;
    size_t at = (size_t)blockIdx.y * n * n;
    const char *s = seqs + blockIdx.y * n;
    score *b = best + at;
#ifdef GOOD
    score *t = turned + at;
#define LEFT(k) t[(size_t)(k) * n + i]
#else
    (void)turned;
#define LEFT(k) b[(size_t)i * n + (k)]
#endif
    int most = b[(size_t)(i + 1) * n + j];
    if (d > 3) most = max(most, b[(size_t)(i + 1) * n + j - 1] + pairs(s[i], s[j]));
    for (int k = i; k < j; k++) most = max(most, LEFT(k) + b[(size_t)(k + 1) * n + j]);
    b[(size_t)i * n + j] = (score)most;
#ifdef GOOD
    t[(size_t)j * n + i] = (score)most;
#endif
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 160, n = argc > 2 ? atoi(argv[2]) : 1024;
    std::vector<char> h((size_t)count * n);
    for (int s = 0; s < count; s++)
        for (int i = 0; i < n; i++) h[(size_t)s * n + i] = base(s, i);
    char *seqs;
    score *best, *turned = nullptr;
    CK(cudaMalloc(&seqs, h.size()));
    CK(cudaMalloc(&best, (size_t)count * n * n * sizeof(score)));
    CK(cudaMemcpy(seqs, h.data(), h.size(), cudaMemcpyHostToDevice));
    CK(cudaMemset(best, 0, (size_t)count * n * n * sizeof(score)));
#ifdef GOOD
    CK(cudaMalloc(&turned, (size_t)count * n * n * sizeof(score)));
    CK(cudaMemset(turned, 0, (size_t)count * n * n * sizeof(score)));
#endif
    for (int d = 1; d < n; d++)
        diagonal<<<dim3((n - d + 127) / 128, count), 128>>>(seqs, best, turned, n, d);
    CK(cudaGetLastError());
    std::vector<score> got((size_t)n * n), want((size_t)n * n);
    int last = count - 1;
    CK(cudaMemcpy(got.data(), best + (size_t)last * n * n, got.size() * sizeof(score), cudaMemcpyDeviceToHost));
    int m = std::min(n, 400);
    for (int d = 1; d < m; d++)
        for (int i = 0; i + d < m; i++) {
            int j = i + d, most = want[(size_t)(i + 1) * n + j];
            if (d > 3) most = std::max(most, want[(size_t)(i + 1) * n + j - 1] + pairs(base(last, i), base(last, j)));
            for (int k = i; k < j; k++) most = std::max(most, want[(size_t)i * n + k] + want[(size_t)(k + 1) * n + j]);
            want[(size_t)i * n + j] = (score)most;
        }
    bool ok = got[n - 1] > 0;
    for (int i = 0; i < m; i++)
        for (int j = i + 1; j < m; j++) ok = ok && got[(size_t)i * n + j] == want[(size_t)i * n + j];
    printf("%d pairs in the last sequence\n", got[n - 1]);
    return report(ok);
}
