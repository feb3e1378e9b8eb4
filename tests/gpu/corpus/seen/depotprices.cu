// Parcel logistics: nine million customers each take the depot where squared distance plus price is least. Each hour
// the prices move so that the depots' loads come nearer to their shares of that hour; hours with an overload are counted.
//   depotprices [hours]
#include "common.h"

#define DEPOTS 8
#define THREADS 768

struct Depots { float x[DEPOTS], y[DEPOTS], share[DEPOTS]; };

struct Market {
    float price[DEPOTS], used[DEPOTS];
    unsigned load[DEPOTS], kept[DEPOTS], done;
};

// half the squared distance and half the price, without what is the same for all depots
__host__ __device__ static inline int choice(float x, float y, const Depots &d, const float *ground)
{
    float least = ground[0] - d.x[0] * x - d.y[0] * y;
    int best = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 1; k < DEPOTS; k++) {
        float c = ground[k] - d.x[k] * x - d.y[k] * y;
        if (c < least) { least = c; best = k; }
    }
    return best;
}

__global__ void __launch_bounds__(THREADS, 2) assign(const float4 *__restrict__ two, int pairs, Depots d, Market *market, float *gap, float rate)
{
    __shared__ unsigned part[DEPOTS];
    __shared__ bool last;
    int t = threadIdx.x;
    if (t < DEPOTS) part[t] = 0;
    __syncthreads();
    float ground[DEPOTS];
#pragma unroll
    for (int k = 0; k < DEPOTS; k++) ground[k] = 0.5f * (d.x[k] * d.x[k] + d.y[k] * d.y[k] + market->price[k]);
    unsigned long long mine = 0;                 // eight counters of eight bits: a thread has fewer than 100 customers
    for (int i = blockIdx.x * THREADS + t; i < pairs; i += gridDim.x * THREADS) {
        float4 c = two[i];
        mine += 1ull << 8 * choice(c.x, c.y, d, ground);
        mine += 1ull << 8 * choice(c.z, c.w, d, ground);
    }
#pragma unroll
    for (int k = 0; k < DEPOTS; k++) {
        unsigned sum = __reduce_add_sync(0xffffffffu, (unsigned)(mine >> 8 * k) & 255u);
        if ((t & 31) == 0) atomicAdd(&part[k], sum);
    }
    __syncthreads();
    if (t < DEPOTS) {
        atomicAdd(&market->load[t], part[t]);
        __threadfence();
    }
    __syncthreads();
    if (t == 0) last = atomicAdd(&market->done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && t < DEPOTS) {
        __threadfence();
        unsigned load = atomicExch(&market->load[t], 0u);
        float over = load / (2.0f * pairs) - d.share[t], worst = fabsf(over);
        market->kept[t] = load;
        market->used[t] = market->price[t];
        market->price[t] += rate * over;
        for (int s = 4; s; s >>= 1) worst = fmaxf(worst, __shfl_xor_sync(0xffu, worst, s));
        if (t == 0) {
            *gap = worst;
            market->done = 0;
        }
    }
}

int main(int argc, char **argv)
{
    int hours = argc > 1 ? atoi(argv[1]) : 30000;
    const int n = 9000000;
    std::vector<float2> c(n);
    unsigned seed = 1842;
    for (float2 &p : c) { p.x = frand(seed); p.y = frand(seed); p.x = 0.5f * (p.x + p.x * p.y); }
    Depots d;
    for (int k = 0; k < DEPOTS; k++) { d.x[k] = 0.1f + 0.8f * frand(seed); d.y[k] = 0.1f + 0.8f * frand(seed); }
    float2 *customers;
    Market *market, h;
    float *gap;
    CK(cudaMalloc(&customers, n * sizeof(float2)));
    CK(cudaMalloc(&market, sizeof(Market)));
    CK(cudaMalloc(&gap, hours * sizeof(float)));
    CK(cudaMemset(market, 0, sizeof(Market)));
    CK(cudaMemcpy(customers, c.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
    const float limit = 0.02f;
    int overloads = 0;
#ifdef GOOD
    const int day = 500;
    std::vector<float> g(day);
#endif
    for (int t = 0; t < hours; t++) {
        for (int k = 0; k < DEPOTS; k++) d.share[k] = 0.125f * (1 + 0.3f * sinf(0.05f * t + 0.785398f * k));
        assign<<<2 * 132, THREADS>>>((const float4 *)customers, n / 2, d, market, gap + t, 0.05f);
#ifdef GOOD
        if (t % day == day - 1 || t == hours - 1) {
            int many = t % day + 1;
            CK(cudaMemcpy(g.data(), gap + t + 1 - many, many * sizeof(float), cudaMemcpyDeviceToHost));
            for (int k = 0; k < many; k++) overloads += g[k] > limit;
        }
#else
        float g;
        CK(cudaMemcpy(&g, gap + t, sizeof g, cudaMemcpyDeviceToHost));
        overloads += g > limit;
#endif
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(&h, market, sizeof h, cudaMemcpyDeviceToHost));
    unsigned want[DEPOTS] = {}, sum = 0;
    float ground[DEPOTS];
    for (int k = 0; k < DEPOTS; k++) ground[k] = 0.5f * (d.x[k] * d.x[k] + d.y[k] * d.y[k] + h.used[k]);
    for (const float2 &p : c) want[choice(p.x, p.y, d, ground)]++;
    bool ok = true;
    for (int k = 0; k < DEPOTS; k++) {
        sum += h.kept[k];
        ok = ok && fabs((double)h.kept[k] - want[k]) < 1e-3 * n && h.kept[k] > 0.02 * n && h.kept[k] < 0.3 * n;
    }
    printf("%d hours with an overload, depot 0 has %u customers\n", overloads, h.kept[0]);
    CK(cudaFree(customers)); CK(cudaFree(market)); CK(cudaFree(gap));
    return report(ok && sum == (unsigned)n);
}
