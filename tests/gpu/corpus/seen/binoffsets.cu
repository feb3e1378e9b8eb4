// Radix-partition bookkeeping: every tile has a short list of bin counts (48 bins), which are turned
// into start offsets by an exclusive scan per tile and shifted by the tile's base.
#include "common.h"

const int BINS = 48, TILES = 1 << 20;

__device__ __host__ inline int count_of(int tile, int bin)
{
    unsigned x = (unsigned)tile * 2654435761u + (unsigned)bin * 40503u;
    x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;
    return x & 127;
}

__global__ void make_counts(int *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < TILES * BINS) c[i] = count_of(i / BINS, i % BINS);
}

// blockDim.x threads scan one tile, blockDim.y tiles to a block
__global__ void offsets(const int *__restrict__ count, int *__restrict__ start)
{
    extern __shared__ int sh[];
    int *s = sh + threadIdx.y * blockDim.x;
    int tile = blockIdx.x * blockDim.y + threadIdx.y, t = threadIdx.x;
    int own = t < BINS ? count[tile * BINS + t] : 0;
    s[t] = own;
    __syncthreads();
    for (int d = 1; d < BINS; d <<= 1) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t < BINS) start[tile * BINS + t] = s[t] - own + (tile & 1023) * 4096;
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 150;
    size_t n = (size_t)TILES * BINS;
    int *c, *s;
    CK(cudaMalloc(&c, n * sizeof(int)));
    CK(cudaMalloc(&s, n * sizeof(int)));
    make_counts<<<(unsigned)((n + 255) / 256), 256>>>(c);
    CK(cudaGetLastError());
#ifdef GOOD
    dim3 block(64, 4);
#else
    dim3 block(256, 1);
#endif
    for (int p = 0; p < passes; p++)
        offsets<<<TILES / block.y, block, block.x * block.y * sizeof(int)>>>(c, s);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<int> h(n);
    CK(cudaMemcpy(h.data(), s, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int tile = 0; tile < TILES; tile += 1021) {
        int run = (tile & 1023) * 4096;
        for (int b = 0; b < BINS; b++) {
            ok = ok && h[(size_t)tile * BINS + b] == run;
            run += count_of(tile, b);
        }
    }
    CK(cudaFree(c));
    CK(cudaFree(s));
    return report(ok);
}
