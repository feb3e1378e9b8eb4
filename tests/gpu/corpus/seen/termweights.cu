// Search engine: static weight of every term, the sum of its impacts over the documents that the quality filter keeps.
// Posting lists are sorted by length, longest first. One block for each SM, a warp for a list.
//   termweights [filters]
#include "common.h"

const int BLOCKS = 132, WARPS = 32, SHARE = 512, LISTS = BLOCKS * SHARE;

__host__ __device__ static inline uint2 posting(unsigned p)          // document, and impact as the bits of a float
{
    unsigned h = p * 2654435761u; h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    union { float f; unsigned u; } impact;
    impact.f = 0.1f + (float)(h >> 22) * 0.001f;
    return make_uint2(h & 0xfffffu, impact.u);
}

__global__ void index_all(uint2 *post, unsigned n)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n) post[p] = posting(p);
}

__global__ void __launch_bounds__(WARPS * 32) weigh(const uint2 *__restrict__ post, const unsigned *__restrict__ start,
                                                    float *__restrict__ weight, unsigned cut)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#ifdef GOOD
    // Dealt to all warps of the card, back and forth.
    int all = BLOCKS * WARPS, me = warp * BLOCKS + blockIdx.x;
    for (int k = 0; k < LISTS / all; k++) {
        int list = k * all + (k % 2 ? all - 1 - me : me);
#else
    // Every block takes its share of the lists.
    for (int k = warp; k < SHARE; k += WARPS) {
        int list = blockIdx.x * SHARE + k;
#endif
        unsigned end = start[list + 1];
        float sum = 0;
#pragma unroll 4
        for (unsigned p = start[list] + lane; p < end; p += 32) {
            uint2 q = post[p];
            if (q.x >= cut) sum += __uint_as_float(q.y);
        }
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (lane == 0) weight[list] = sum;
    }
}

int main(int argc, char **argv)
{
    int filters = argc > 1 ? atoi(argv[1]) : 1600;
    std::vector<unsigned> h(LISTS + 1);
    unsigned n = 0;
    for (int l = 0; l < LISTS; l++) {
        h[l] = n;
        n += 128 * (4 + (unsigned)(60 * exp(-l / 8000.0)));
    }
    h[LISTS] = n;
    uint2 *post;
    unsigned *start, cut = 0;
    float *weight;
    CK(cudaMalloc(&post, (size_t)n * sizeof(uint2)));
    CK(cudaMalloc(&start, (LISTS + 1) * sizeof(unsigned)));
    CK(cudaMalloc(&weight, LISTS * sizeof(float)));
    CK(cudaMemcpy(start, h.data(), (LISTS + 1) * sizeof(unsigned), cudaMemcpyHostToDevice));
    index_all<<<(n + 255) / 256, 256>>>(post, n);
    for (int f = 0; f < filters; f++) {
        cut = 1000u * (f % 100);
        weigh<<<BLOCKS, WARPS * 32>>>(post, start, weight, cut);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> w(LISTS);
    CK(cudaMemcpy(w.data(), weight, LISTS * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int l = 0; l < LISTS; l += 331) {
        double sum = 0;
        for (unsigned p = h[l]; p < h[l + 1]; p++) {
            uint2 q = posting(p);
            float impact;
            memcpy(&impact, &q.y, 4);
            if (q.x >= cut) sum += impact;
        }
        ok = ok && close_to(w[l], sum, 1e-4);
    }
    printf("%u postings, first weight %.1f\n", n, w[0]);
    return report(ok);
}
