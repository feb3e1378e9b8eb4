// Frontier expansion of a level-synchronous traversal: vertices of the current
// level put all their neighbours into the queue of the next one. A vertex
// reserves as many queue slots as it has neighbours.
#include "common.h"
#include <cub/block/block_scan.cuh>
#include <thrust/device_ptr.h>
#include <thrust/scan.h>

constexpr int VERTS = 8 << 20, LEVELS = 20, BLOCK = 256;

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline int degree(unsigned v) { return 1 + (mix(v) & 15); }
__host__ __device__ inline unsigned char level_of(unsigned v) { return mix(v ^ 0xabcdef01u) % LEVELS; }
__host__ __device__ inline int target(unsigned e) { return mix(e + 0x1234567u) & (VERTS - 1); }

__global__ void make_vertices(int *deg, unsigned char *level)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    deg[v] = degree(v);
    level[v] = level_of(v);
}
__global__ void make_edges(int *adj, unsigned m)
{
    unsigned e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m) adj[e] = target(e);
}

__global__ void expand(const unsigned char *level, const int *row, const int *adj, int current, int *queue, int *tail)
{
    int v = blockIdx.x * BLOCK + threadIdx.x;
    int first = 0, n = 0;
    if (level[v] == current) {
        first = row[v];
        n = row[v + 1] - first;
    }
#ifdef GOOD
    using Scan = cub::BlockScan<int, BLOCK>;
    __shared__ typename Scan::TempStorage tmp;
    __shared__ int base;
    int pos, all;
    Scan(tmp).ExclusiveSum(n, pos, all);
    if (threadIdx.x == 0) base = all ? atomicAdd(tail, all) : 0;
    __syncthreads();
    pos += base;
#else
    if (n == 0) return;
    int pos = atomicAdd(tail, n);
#endif
    for (int k = 0; k < n; k++) queue[pos + k] = adj[first + k];
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 400;
    int *row, *adj, *queue, *tail;
    unsigned char *level;
    CK(cudaMalloc(&row, (VERTS + 1) * sizeof(int)));
    CK(cudaMalloc(&level, VERTS));
    CK(cudaMemset(row, 0, (VERTS + 1) * sizeof(int)));
    make_vertices<<<VERTS / 256, 256>>>(row, level);
    CK(cudaGetLastError());
    thrust::device_ptr<int> rp(row);
    thrust::exclusive_scan(rp, rp + VERTS + 1, rp);
    int m = 0;
    CK(cudaMemcpy(&m, row + VERTS, sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMalloc(&adj, (size_t)m * sizeof(int)));
    CK(cudaMalloc(&queue, (size_t)m / 4 * sizeof(int)));
    CK(cudaMalloc(&tail, rounds * sizeof(int)));
    CK(cudaMemset(tail, 0, rounds * sizeof(int)));
    make_edges<<<(m + 255) / 256, 256>>>(adj, m);
    CK(cudaGetLastError());

    for (int r = 0; r < rounds; r++)
        expand<<<VERTS / BLOCK, BLOCK>>>(level, row, adj, r % LEVELS, queue, tail + r);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    int len = 0;
    CK(cudaMemcpy(&len, tail + rounds - 1, sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<int> q(len);
    CK(cudaMemcpy(q.data(), queue, (size_t)len * sizeof(int), cudaMemcpyDeviceToHost));
    long long got = 0, want = 0;
    for (int x : q) got += x;
    unsigned e = 0;
    int n = 0;
    for (unsigned v = 0; v < VERTS; v++) {
        int d = degree(v);
        if (level_of(v) == (rounds - 1) % LEVELS)
            for (int k = 0; k < d; k++, n++) want += target(e + k);
        e += d;
    }
    bool ok = (int)e == m && n == len && got == want;
    CK(cudaFree(row)); CK(cudaFree(level)); CK(cudaFree(adj)); CK(cudaFree(queue)); CK(cudaFree(tail));
    return report(ok);
}
