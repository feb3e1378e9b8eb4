// Server of a strategy game: each match has a map of tiles with one byte of "how well remembered". In every turn
// what the side to move sees now is remembered fully again and the remainder fades a little.
// usage: fogturns matches turns
#include "common.h"

#define SIDE 2048
#define TILES (SIDE * SIDE)

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

// brightness of a tile for a side; most tiles are out of sight
__host__ __device__ inline unsigned char sightOf(unsigned tile, unsigned side)
{
    unsigned h = scramble(tile * 2u + side + 40u);
    return (unsigned char)((h & 7u) ? 0u : h >> 24);
}

__global__ void look_out(unsigned char *sight, unsigned n, unsigned side)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sight[i] = sightOf(i, side);
}

#ifdef GOOD
__global__ void remember(uint4 *memory, const uint4 *__restrict__ sight, unsigned fade)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 m = memory[i], s = sight[i];
    m.x = __vmaxu4(__vsubus4(m.x, fade), s.x);
    m.y = __vmaxu4(__vsubus4(m.y, fade), s.y);
    m.z = __vmaxu4(__vsubus4(m.z, fade), s.z);
    m.w = __vmaxu4(__vsubus4(m.w, fade), s.w);
    memory[i] = m;
}
#else
__global__ void remember(unsigned char *memory, const unsigned char *__restrict__ sight, int fade)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int m = max((int)memory[i] - fade, 0);
    memory[i] = (unsigned char)max(m, (int)sight[i]);
}
#endif

int main(int argc, char **argv)
{
    int matches = argc > 1 ? atoi(argv[1]) : 64;
    int turns = argc > 2 ? atoi(argv[2]) : 800;
    const unsigned n = (unsigned)matches * TILES;
    unsigned char *memory, *sight[2];
    CK(cudaMalloc(&memory, n));
    CK(cudaMemset(memory, 0, n));
    for (unsigned side = 0; side < 2; ++side) {
        CK(cudaMalloc(&sight[side], n));
        look_out<<<1056, 256>>>(sight[side], n, side);
    }
    for (int t = 0; t < turns; ++t) {
        int fade = 1 + t % 3;
#ifdef GOOD
        remember<<<n / 4096, 256>>>((uint4 *)memory, (const uint4 *)sight[t & 1], (unsigned)fade * 0x01010101u);
#else
        remember<<<n / 256, 256>>>(memory, sight[t & 1], fade);
#endif
    }
    CK(cudaGetLastError());
    std::vector<unsigned char> m(n);
    CK(cudaMemcpy(m.data(), memory, n, cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int k = 0; k < 5000; ++k) {
        unsigned i = (unsigned)((unsigned long long)k * (n - 1) / 4999);
        int v = 0;
        for (int t = 0; t < turns; ++t)
            v = std::max(std::max(v - (1 + t % 3), 0), (int)sightOf(i, (unsigned)t & 1u));
        ok = ok && v == m[i];
    }
    unsigned long long sum = 0;
    for (unsigned char v : m) sum += v;
    printf("mean memory %.3f\n", (double)sum / n);
    CK(cudaFree(memory)); CK(cudaFree(sight[0])); CK(cudaFree(sight[1]));
    return report(ok);
}
