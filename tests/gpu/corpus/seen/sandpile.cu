// Abelian sandpile: in each round 256 grains fall, then four sweeps of toppling.
//   sandpile [rounds]
#include "common.h"

const int W = 4096, H = 2048, GRAINS = 256, SWEEPS = 4;

__host__ __device__ inline unsigned where(unsigned round, unsigned grain)
{
    unsigned h = round * 0x9e3779b9u + grain * 0x85ebca6bu;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h % (W * H);
}

__global__ void heap(int *h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    h[i] = 2 + (i * 2654435761u >> 30) % 3;
}

__global__ void topple(const int *__restrict__ h, int *__restrict__ next)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, i = y * W + x;
    int v = h[i], n = v >= 4 ? v - 4 : v;
    n += x > 0 && h[i - 1] >= 4;
    n += x < W - 1 && h[i + 1] >= 4;
    n += y > 0 && h[i - W] >= 4;
    n += y < H - 1 && h[i + W] >= 4;
    next[i] = n;
}

#ifdef GOOD
__global__ void drop(int *h, unsigned round) { atomicAdd(&h[where(round, threadIdx.x)], 1); }
#endif

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 150;
    int *a, *b;
#ifndef GOOD
    CK(cudaMallocManaged(&a, W * H * sizeof(int)));
    CK(cudaMallocManaged(&b, W * H * sizeof(int)));
#else
    CK(cudaMalloc(&a, W * H * sizeof(int)));
    CK(cudaMalloc(&b, W * H * sizeof(int)));
#endif
    heap<<<W * H / 256, 256>>>(a);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) {
#ifndef GOOD
        CK(cudaDeviceSynchronize());
        for (int g = 0; g < GRAINS; g++) a[where(r, g)]++;
#else
        drop<<<1, GRAINS>>>(a, r);
        CK(cudaGetLastError());
#endif
        for (int s = 0; s < SWEEPS; s++) {
            topple<<<dim3(W / 256, H), 256>>>(a, b);
            CK(cudaGetLastError());
            std::swap(a, b);
        }
    }
    std::vector<int> h(W * H);
    CK(cudaMemcpy(h.data(), a, h.size() * sizeof(int), cudaMemcpyDeviceToHost));
    long sum = 0, unstable = 0;
    for (int v : h) { sum += v; unstable += v >= 4; }
    printf("%ld grains, %ld unstable cells\n", sum, unstable);
    CK(cudaFree(a));
    CK(cudaFree(b));
    return report(sum > W * H);
}
