// Modularity bookkeeping of a social network: for every edge whose ends are in the same
// guild, one more internal edge of this guild; a guild's degree takes the others.
#include "common.h"

#define GUILDS 48

__host__ __device__ static inline unsigned mixh(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}
__host__ __device__ static inline uint2 edgeOf(unsigned i, unsigned verts)
{
    unsigned u = mixh(i * 2u + 1u) % verts;
    unsigned v = mixh(i * 2u + 7u) % verts;
    return make_uint2(u, v);
}
__global__ void makeEdges(uint2 *e, unsigned m, unsigned verts)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) e[i] = edgeOf(i, verts);
}
__host__ __device__ static inline unsigned char guildOf(unsigned v) { unsigned a = mixh(v) % GUILDS, b = mixh(v + 5u) % GUILDS; return (unsigned char)(a < b ? a : b); }
__global__ void makeGuilds(unsigned char *g, unsigned verts)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < verts) g[i] = guildOf(i);
}

__global__ void countGuilds(const uint2 *__restrict__ edges, const unsigned char *__restrict__ guild,
                            unsigned *inside, unsigned *degree, unsigned m)
{
#ifdef GOOD
    __shared__ unsigned si[GUILDS], sd[GUILDS];
    if (threadIdx.x < GUILDS) si[threadIdx.x] = sd[threadIdx.x] = 0;
    __syncthreads();
#else
    unsigned *si = inside, *sd = degree;
#endif
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x) {
        uint2 e = edges[i];
        unsigned a = guild[e.x], b = guild[e.y];
        if (a == b) atomicAdd(&si[a], 1u);
        else {
            atomicAdd(&sd[a], 1u);
            atomicAdd(&sd[b], 1u);
        }
    }
#ifdef GOOD
    __syncthreads();
    if (threadIdx.x < GUILDS) {
        atomicAdd(&inside[threadIdx.x], si[threadIdx.x]);
        atomicAdd(&degree[threadIdx.x], sd[threadIdx.x]);
    }
#endif
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 40;
    const unsigned verts = 1u << 20, m = 1u << 25;
    uint2 *edges;
    unsigned char *guild;
    unsigned *cnt;
    CK(cudaMalloc(&edges, (size_t)m * sizeof(uint2)));
    CK(cudaMalloc(&guild, verts));
    CK(cudaMalloc(&cnt, 2 * GUILDS * 4));
    makeEdges<<<m / 256, 256>>>(edges, m, verts);
    makeGuilds<<<verts / 256, 256>>>(guild, verts);
    for (int r = 0; r < rounds; r++) {
        CK(cudaMemsetAsync(cnt, 0, 2 * GUILDS * 4));
        countGuilds<<<132 * 8, 256>>>(edges, guild, cnt, cnt + GUILDS, m);
    }
    CK(cudaGetLastError());
    unsigned h[2 * GUILDS];
    CK(cudaMemcpy(h, cnt, sizeof h, cudaMemcpyDeviceToHost));
    // every edge is counted once inside or twice outside; a sample must have the same shares
    unsigned long long total = 0, in = 0;
    for (int g = 0; g < GUILDS; g++) { total += 2ull * h[g] + h[GUILDS + g]; in += h[g]; }
    unsigned sample = 1u << 20, sin_ = 0;
    for (unsigned i = 0; i < sample; i++) {
        uint2 e = edgeOf(i, verts);
        sin_ += guildOf(e.x) == guildOf(e.y);
    }
    bool ok = total == 2ull * m && close_to((double)in / m, (double)sin_ / sample, 0.02);
    CK(cudaFree(edges)); CK(cudaFree(guild)); CK(cudaFree(cnt));
    return report(ok);
}
