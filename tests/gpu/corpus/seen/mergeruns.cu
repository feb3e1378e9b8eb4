// Merge sort from the bottom up: the bids of each auction, one array after the other.
//   mergeruns [auctions] [log2 of the bids of one]
#include "common.h"

typedef unsigned int key;

__global__ void bids(key *k, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u + 12345;
        h ^= h >> 16; h *= 0x45d9f3bu; h ^= h >> 16;
        k[i] = h;
    }
}

// Two neighbouring runs of w keys become one.
__global__ void merge_runs(const key *src, key *dst, size_t n, size_t w)
{
    size_t first = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 2 * w;
    if (first >= n) return;
    size_t a = first, b = first + w, ea = b, eb = b + w;
    for (size_t i = first; i < eb; i++) {
        if (b >= eb || (a < ea && src[a] <= src[b])) dst[i] = src[a++];
        else dst[i] = src[b++];
    }
}

#ifdef GOOD
#define PIECE 16
// Each thread finds where its 16 keys begin in both runs, and merges these alone.
__global__ void merge_path(const key *src, key *dst, size_t n, size_t w)
{
    size_t out = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * PIECE;
    if (out >= n) return;
    size_t first = out / (2 * w) * (2 * w), diag = out - first;
    const key *A = src + first, *B = A + w;
    size_t lo = diag > w ? diag - w : 0, hi = diag < w ? diag : w;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (A[mid] <= B[diag - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    size_t a = lo, b = diag - lo;
    for (int i = 0; i < PIECE; i++) {
        if (b >= w || (a < w && A[a] <= B[b])) dst[out + i] = A[a++];
        else dst[out + i] = B[b++];
    }
}
#endif

int main(int argc, char **argv)
{
    int auctions = argc > 1 ? atoi(argv[1]) : 192, lg = argc > 2 ? atoi(argv[2]) : 18;
    size_t each = (size_t)1 << lg, n = auctions * each;
    key *a, *b;
    CK(cudaMalloc(&a, n * sizeof(key)));
    CK(cudaMalloc(&b, n * sizeof(key)));
    bids<<<1056, 256>>>(a, n);
    unsigned long long before = 0, after = 0;
    std::vector<key> h(n);
    CK(cudaMemcpy(h.data(), a, n * sizeof(key), cudaMemcpyDeviceToHost));
    for (key k : h) before += k;
    for (size_t w = 1; w < each; w *= 2) {
        size_t threads = n / (2 * w);
#ifdef GOOD
        if (w >= PIECE)
            merge_path<<<(n / PIECE + 255) / 256, 256>>>(a, b, n, w);
        else
#endif
            merge_runs<<<(threads + 255) / 256, 256>>>(a, b, n, w);
        CK(cudaGetLastError());
        std::swap(a, b);
    }
    CK(cudaMemcpy(h.data(), a, n * sizeof(key), cudaMemcpyDeviceToHost));
    bool sorted = true;
    for (size_t i = 0; i < n; i++) {
        after += h[i];
        if (i % each) sorted = sorted && h[i - 1] <= h[i];
    }
    printf("highest bid of the first auction %u\n", h[each - 1]);
    return report(sorted && before == after);
}
