// Spread of a pollutant through a food web: every species takes in a weighted mean of the loads of
// its prey plus what it gets from the water. The web is stored by predator (CSR).
#include "common.h"

#ifndef SPECIES
#define SPECIES (1 << 19)
#endif
const float FOOD = 0.85f;

template <int CREW>
__global__ void __launch_bounds__(256) feed(const int *__restrict__ first, const int *__restrict__ prey,
                                            const float *__restrict__ share, const float *__restrict__ water,
                                            const float *__restrict__ load, float *__restrict__ next, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, v = k / CREW, lane = k % CREW;
    if (v >= n) return;
    float sum = 0;
    for (int e = first[v] + lane, end = first[v + 1]; e < end; e += CREW) sum += share[e] * load[prey[e]];
    for (int d = CREW / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) next[v] = water[v] + FOOD * sum;
}

__global__ void total(const float *__restrict__ load, double *sum, int n)
{
    double s = 0;
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) s += load[v];
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, s);
}

int main(int argc, char **argv)
{
    int seasons = argc > 1 ? atoi(argv[1]) : 8500;
    const int n = SPECIES;
    unsigned seed = 909;
    std::vector<int> first(n + 1), prey;
    std::vector<float> share, water(n);
    prey.reserve((size_t)n * 33);
    share.reserve((size_t)n * 33);
    for (int v = 0; v < n; v++) {
        int deg = 28 + (int)(lcg(seed) >> 29);
        float w = 0;
        first[v] = (int)prey.size();
        for (int e = 0; e < deg; e++) {
            unsigned u = lcg(seed);
            prey.push_back((v + (int)(u >> 18) + n - 8192) % n);
            share.push_back(0.1f + (u & 0xffff) * (1.0f / 65536.0f));
            w += share.back();
        }
        for (int e = first[v]; e < first[v] + deg; e++) share[e] /= w;
        water[v] = frand(seed);
    }
    first[n] = (int)prey.size();

    int *dfirst, *dprey;
    float *dshare, *dwater, *load, *next;
    double *sum;
    CK(cudaMalloc(&dfirst, (n + 1) * sizeof(int)));
    CK(cudaMalloc(&dprey, prey.size() * sizeof(int)));
    CK(cudaMalloc(&dshare, prey.size() * sizeof(float)));
    CK(cudaMalloc(&dwater, n * sizeof(float)));
    CK(cudaMalloc(&load, n * sizeof(float)));
    CK(cudaMalloc(&next, n * sizeof(float)));
    CK(cudaMalloc(&sum, sizeof(double)));
    CK(cudaMemcpy(dfirst, first.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dprey, prey.data(), prey.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dshare, share.data(), prey.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dwater, water.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(load, 0, n * sizeof(float)));
    CK(cudaMemset(sum, 0, sizeof(double)));
#ifdef GOOD
    const int crew = 8;
#else
    const int crew = 1;
#endif
    int blocks = (int)(((size_t)n * crew + 255) / 256);
    for (int s = 0; s < seasons; s++) {
        feed<crew><<<blocks, 256>>>(dfirst, dprey, dshare, dwater, load, next, n);
        std::swap(load, next);
    }
    total<<<264, 256>>>(load, sum, n);
    CK(cudaGetLastError());

    std::vector<float> now(n), old(n);
    double all, host = 0;
    CK(cudaMemcpy(now.data(), load, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(old.data(), next, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&all, sum, sizeof all, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int v = 0; v < n; v++) host += now[v];
    for (int t = 0; t < 50000; t++) {
        int v = t < 2 ? t * (n - 1) : (int)(frand(seed) * n);
        double s = 0;
        for (int e = first[v]; e < first[v + 1]; e++) s += (double)share[e] * old[prey[e]];
        ok = ok && close_to(now[v], water[v] + (double)FOOD * s, 1e-4);
    }
    ok = ok && close_to(all, host, 1e-6) && host > 0;
    printf("mean load %.4f\n", all / n);
    CK(cudaFree(dfirst)); CK(cudaFree(dprey)); CK(cudaFree(dshare)); CK(cudaFree(dwater));
    CK(cudaFree(load)); CK(cudaFree(next)); CK(cudaFree(sum));
    return report(ok);
}
