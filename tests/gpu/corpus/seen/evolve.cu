// A genetic algorithm: the fitness of a population, selection of the better half, children.
//   evolve [generations] [log2 of the population]
#include "common.h"
#include <numeric>
#ifdef GOOD
#include <cub/cub.cuh>
#endif

const int GENES = 16;

// A rugged valley with its bottom at 0.5 for each gene.
__host__ __device__ inline float cost_of(const float *genes, size_t stride)
{
    float c = 0;
    for (int round = 0; round < 320; round++)
        for (int g = 0; g < GENES; g++) {
            float d = genes[g * stride] - 0.5f;
            c += d * d - 0.01f * cosf(30 * d + round) * (round & 1 ? 1 : -1);
        }
    return c;
}

__host__ __device__ inline unsigned hash(unsigned a, unsigned b)
{
    unsigned h = a * 2654435761u ^ b * 2246822519u;
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 13;
    return h;
}

__global__ void first_ones(float *genes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int g = 0; g < GENES; g++) genes[(size_t)g * n + i] = (hash(i, g) >> 8) * (1.0f / 16777216);
}

__global__ void fitness(const float *genes, float *cost, int *who, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cost[i] = cost_of(genes + i, n);
    who[i] = i;
}

// The better half stays; each of the others becomes the child of two of these.
__global__ void breed(const float *genes, float *next, const int *ranked, int n, int generation)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, half = n / 2;
    int a = ranked[i % half], b = ranked[hash(i, generation) % half];
    for (int g = 0; g < GENES; g++) {
        float x = genes[(size_t)g * n + a];
        if (i >= half) {
            unsigned h = hash(i * GENES + g, generation);
            if (h & 1) x = genes[(size_t)g * n + b];
            x += ((int)(h >> 8 & 1023) - 512) * (0.02f / 512);
        }
        next[(size_t)g * n + i] = x;
    }
}

int main(int argc, char **argv)
{
    int generations = argc > 1 ? atoi(argv[1]) : 40, n = 1 << (argc > 2 ? atoi(argv[2]) : 17);
    float *genes, *next, *cost;
    int *who, *ranked;
    CK(cudaMalloc(&genes, (size_t)GENES * n * sizeof(float)));
    CK(cudaMalloc(&next, (size_t)GENES * n * sizeof(float)));
    CK(cudaMalloc(&cost, n * sizeof(float)));
    CK(cudaMalloc(&who, n * sizeof(int)));
    CK(cudaMalloc(&ranked, n * sizeof(int)));
    first_ones<<<n / 256, 256>>>(genes, n);
#ifndef GOOD
    std::vector<float> h(n);
    std::vector<int> order(n);
#else
    float *sorted;
    void *temp = nullptr;
    size_t bytes = 0;
    CK(cudaMalloc(&sorted, n * sizeof(float)));
    CK(cub::DeviceRadixSort::SortPairs(temp, bytes, cost, sorted, who, ranked, n));
    CK(cudaMalloc(&temp, bytes));
#endif
    float start = 0, best = 0;
    for (int t = 0; t < generations; t++) {
        fitness<<<n / 256, 256>>>(genes, cost, who, n);
#ifndef GOOD
        CK(cudaMemcpy(h.data(), cost, n * sizeof(float), cudaMemcpyDeviceToHost));
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int a, int b) { return h[a] < h[b]; });
        CK(cudaMemcpy(ranked, order.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        best = h[order[0]];
#else
        CK(cub::DeviceRadixSort::SortPairs(temp, bytes, cost, sorted, who, ranked, n));
        if (t == 0 || t == generations - 1) CK(cudaMemcpy(&best, sorted, sizeof best, cudaMemcpyDeviceToHost));
#endif
        if (t == 0) start = best;
        breed<<<n / 256, 256>>>(genes, next, ranked, n, t);
        CK(cudaGetLastError());
        std::swap(genes, next);
    }
    // The best of the last generation is the first of the next.
    std::vector<float> g((size_t)GENES * n);
    CK(cudaMemcpy(g.data(), genes, g.size() * sizeof(float), cudaMemcpyDeviceToHost));
    float again = cost_of(g.data(), n);
    printf("cost %.4f at first, %.4f in the end\n", start, best);
    return report(best < start && close_to(again, best, 5e-3));
}
