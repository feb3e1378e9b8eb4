// Primer search: every position of a genome whose 12 bases match the primer with at most
// eight mismatches is appended to a list of candidates (position, score).
#include "common.h"

const int LEN = 1 << 26, PRIMER = 12, MAXMIS = 8;
__constant__ unsigned char primer[PRIMER];

__global__ void make_genome(unsigned char *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= LEN) return;
    unsigned x = (unsigned)i * 2654435761u + 5u;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u;
    g[i] = "ACGT"[x >> 30];
}

struct Hit { int pos, mismatches; };

__global__ void __launch_bounds__(256) scan_genome(const unsigned char *__restrict__ g, Hit *__restrict__ hits, int *count)
{
    __shared__ unsigned char s[256 + PRIMER];
    int base = blockIdx.x * 256, i = base + threadIdx.x;
    for (int k = threadIdx.x; k < 256 + PRIMER; k += 256) s[k] = base + k < LEN ? g[base + k] : 'N';
#ifdef GOOD
    __shared__ int found, first;
    if (threadIdx.x == 0) found = 0;
#endif
    __syncthreads();
    int mis = 0;
#pragma unroll
    for (int k = 0; k < PRIMER; k++) mis += s[threadIdx.x + k] != primer[k];
    bool hit = mis <= MAXMIS;
#ifdef GOOD
    // a slot inside the block first, one addition to the global counter per block
    unsigned who = __ballot_sync(~0u, hit);
    int lane = threadIdx.x & 31, slot = 0;
    if (lane == 0 && who) slot = atomicAdd(&found, __popc(who));
    slot = __shfl_sync(~0u, slot, 0) + __popc(who & ((1u << lane) - 1));
    __syncthreads();
    if (threadIdx.x == 0) first = found ? atomicAdd(count, found) : 0;
    __syncthreads();
    if (hit) hits[first + slot] = Hit{i, mis};
#else
    if (hit) hits[atomicAdd(count, 1)] = Hit{i, mis};
#endif
}

int main(int argc, char **argv)
{
    int primers = argc > 1 ? atoi(argv[1]) : 200;
    unsigned char *g;
    Hit *hits;
    int *count;
    CK(cudaMalloc(&g, LEN));
    CK(cudaMalloc(&hits, (size_t)LEN * sizeof(Hit)));
    CK(cudaMalloc(&count, sizeof(int)));
    make_genome<<<LEN / 256, 256>>>(g);
    CK(cudaGetLastError());
    const unsigned char p[PRIMER + 1] = "GATTACAGGCTA";
    CK(cudaMemcpyToSymbol(primer, p, PRIMER));
    for (int r = 0; r < primers; r++) {
        CK(cudaMemsetAsync(count, 0, sizeof(int)));
        scan_genome<<<LEN / 256, 256>>>(g, hits, count);
    }
    CK(cudaGetLastError());
    int n = 0;
    CK(cudaMemcpy(&n, count, sizeof(int), cudaMemcpyDeviceToHost));

    std::vector<unsigned char> hg(LEN);
    std::vector<Hit> hh(n);
    CK(cudaMemcpy(hg.data(), g, LEN, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hh.data(), hits, (size_t)n * sizeof(Hit), cudaMemcpyDeviceToHost));
    auto mismatches = [&](int pos) {
        int m = 0;
        for (int k = 0; k < PRIMER; k++) m += pos + k >= LEN || hg[pos + k] != p[k];
        return m;
    };
    // the candidates of the first 2^20 positions, and a sample of all candidates
    long want = 0, got = 0;
    for (int i = 0; i < (1 << 20); i++) want += mismatches(i) <= MAXMIS;
    bool ok = n > 0;
    for (int h = 0; h < n; h++) {
        got += hh[h].pos < (1 << 20);
        if (h % 997 == 0) ok = ok && mismatches(hh[h].pos) == hh[h].mismatches && hh[h].mismatches <= MAXMIS;
    }
    printf("%d candidates\n", n);
    ok = ok && want == got;
    CK(cudaFree(g)); CK(cudaFree(hits)); CK(cudaFree(count));
    return report(ok);
}
