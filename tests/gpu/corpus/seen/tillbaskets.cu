// Market baskets from the tills: of each basket (one to eight lines) the sum to pay, the dearest line and the departments
// that it comes from.
// usage: tillbaskets baskets repetitions
#include "common.h"

#define MOST 8               // lines of a basket
#define THREADS 256
#ifdef GOOD
#define LANES 8              // that share a basket
#else
#define LANES 32
#endif

__host__ __device__ inline unsigned stir(unsigned i, unsigned k)
{
    unsigned h = i * 2654435761u + k * 2246822519u;
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 13; h *= 668265263u; h ^= h >> 16;
    return h;
}
__host__ __device__ inline int linesOf(unsigned basket) { return 1 + (int)(stir(basket, 99) % MOST); }
// price in cents (16 bits), number (4 bits), department (4 bits)
__host__ __device__ inline unsigned lineOf(unsigned basket, unsigned k)
{
    unsigned h = stir(basket, k);
    return (h & 0x1fffu) | (1u + (h >> 13 & 3u)) << 16 | (h >> 20 & 15u) << 20;
}

__global__ void ring_up(unsigned *line, const int *first, int baskets)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= baskets) return;
    for (int k = first[b]; k < first[b + 1]; ++k) line[k] = lineOf(b, k - first[b]);
}

__global__ void __launch_bounds__(THREADS) total(const unsigned *__restrict__ line, const int *__restrict__ first,
                                                 uint2 *__restrict__ result, int baskets, unsigned discount)
{
    const int b = (blockIdx.x * THREADS + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    if (b >= baskets) return;                            // for whole warps: the number of baskets is a multiple of 4
    const int k = first[b] + lane;
    unsigned pay = 0, dearest = 0, departments = 0;
    if (k < first[b + 1]) {
        unsigned l = line[k], price = l & 0xffffu, department = l >> 20;
        pay = price * (l >> 16 & 15u);
        if (department == discount) pay -= pay >> 3;
        dearest = price;
        departments = 1u << department;
    }
    #pragma unroll
    for (int o = LANES / 2; o; o >>= 1) {
        pay += __shfl_xor_sync(0xffffffffu, pay, o);
        dearest = max(dearest, __shfl_xor_sync(0xffffffffu, dearest, o));
        departments |= __shfl_xor_sync(0xffffffffu, departments, o);
    }
    if (lane == 0) result[b] = make_uint2(pay, dearest << 16 | departments);
}

int main(int argc, char **argv)
{
    const int baskets = (argc > 1 ? atoi(argv[1]) : 4194304) / 4 * 4, reps = argc > 2 ? atoi(argv[2]) : 3500;
    std::vector<int> first(baskets + 1, 0);
    for (int b = 0; b < baskets; ++b) first[b + 1] = first[b] + linesOf(b);
    unsigned *line; int *dfirst; uint2 *result;
    CK(cudaMalloc(&line, (size_t)first[baskets] * sizeof(unsigned)));
    CK(cudaMalloc(&dfirst, first.size() * sizeof(int)));
    CK(cudaMalloc(&result, baskets * sizeof(uint2)));
    CK(cudaMemcpy(dfirst, first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice));
    ring_up<<<(baskets + 255) / 256, 256>>>(line, dfirst, baskets);
    unsigned discount = 0;
    const int blocks = (int)(((size_t)baskets * LANES + THREADS - 1) / THREADS);
    for (int r = 0; r < reps; ++r) {
        discount = r % 16;                               // this department is cheaper today
        total<<<blocks, THREADS>>>(line, dfirst, result, baskets, discount);
    }
    CK(cudaGetLastError());
    std::vector<uint2> got(baskets);
    CK(cudaMemcpy(got.data(), result, baskets * sizeof(uint2), cudaMemcpyDeviceToHost));

    int bad = 0;
    for (int b = 0; b < baskets; b += 37) {
        unsigned sum = 0, dearest = 0, departments = 0;
        for (int k = 0; k < linesOf(b); ++k) {
            unsigned l = lineOf(b, k), price = l & 0xffffu, pay = price * (l >> 16 & 15u);
            if (l >> 20 == discount) pay -= pay >> 3;
            sum += pay;
            dearest = std::max(dearest, price);
            departments |= 1u << (l >> 20);
        }
        bad += got[b].x != sum || got[b].y != (dearest << 16 | departments);
    }
    printf("%d lines; first basket: %u cents; %d wrong\n", first[baskets], got[0].x, bad);
    CK(cudaFree(line)); CK(cudaFree(dfirst)); CK(cudaFree(result));
    return report(bad == 0);
}
