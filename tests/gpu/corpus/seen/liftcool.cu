// Dam building: temperature of fresh concrete lifts. Each of many columns through a lift has 32 nodes from the cold
// rock to the formwork; cement gives heat while it hydrates (the faster, the warmer), a cooling pipe lies at
// two nodes, and its valve opens with the mean temperature of the column.
//   liftcool [pours]
#include "common.h"

#define NODES 32                     // a node for each lane
#define COLUMNS (264 * 32 * 4)
#define STEPS 2000                   // of three minutes
#define THREADS 1024

struct Mix { float conduct, heat, rate, pipe, water, air; };

__host__ __device__ inline float start_of(unsigned column, unsigned node)
{
    unsigned h = (column * NODES + node) * 2654435761u;
    return 15.0f + (float)(h >> 24) * 0.02f;
}

__global__ void __launch_bounds__(THREADS) cure(float *__restrict__ temp, float *__restrict__ peak, Mix mix)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x, node = threadIdx.x % NODES;
    const float pipe = node == 10 || node == 21 ? mix.pipe : 0.0f;
    float t = start_of(i / NODES, node), cement = 1.0f, top = t;
#ifndef GOOD
    __shared__ float row[THREADS];
    const unsigned down = node > 0 ? threadIdx.x - 1 : threadIdx.x, up = node < NODES - 1 ? threadIdx.x + 1 : threadIdx.x;
#endif
    #pragma unroll 1
    for (int s = 0; s < STEPS; ++s) {
#ifdef GOOD
        float below = __shfl_up_sync(0xffffffffu, t, 1), above = __shfl_down_sync(0xffffffffu, t, 1);
#else
        row[threadIdx.x] = t;
        __syncthreads();
        float below = row[down], above = row[up];
        __syncthreads();
#endif
        float mean = t;
        #pragma unroll
        for (int k = NODES / 2; k > 0; k /= 2) {
#ifdef GOOD
            mean += __shfl_xor_sync(0xffffffffu, mean, k);
#else
            row[threadIdx.x] = mean;
            __syncthreads();
            mean += row[threadIdx.x ^ k];
            __syncthreads();
#endif
        }
        float valve = pipe * __saturatef(fmaf(mean, 0.1f / NODES, -2.0f));
        if (node == 0) below = 12.0f;
        if (node == NODES - 1) above = mix.air;
        float used = cement * mix.rate * fmaf(0.02f, t, 0.4f);
        cement -= used;
        t = fmaf(mix.conduct, below + above - 2.0f * t, fmaf(mix.heat, used, fmaf(valve, mix.water - t, t)));
        top = fmaxf(top, t);
    }
    temp[i] = t;
    peak[i] = top;
}

int main(int argc, char **argv)
{
    int pours = argc > 1 ? atoi(argv[1]) : 350;
    const unsigned n = COLUMNS * NODES;
    float *temp, *peak;
    CK(cudaMalloc(&temp, n * sizeof(float)));
    CK(cudaMalloc(&peak, n * sizeof(float)));
    Mix mix = { 0.11f, 34.0f, 0.0012f, 0.02f, 8.0f, 18.0f };
    for (int p = 0; p < pours; ++p) {
        mix.air = 14.0f + (float)(p % 12);
        cure<<<n / THREADS, THREADS>>>(temp, peak, mix);
    }
    CK(cudaGetLastError());
    std::vector<float> t(n), h(n);
    CK(cudaMemcpy(t.data(), temp, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(h.data(), peak, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    float hottest = 0.0f;
    for (unsigned c = 0; c < COLUMNS; c += COLUMNS / 60) {
        double x[NODES], next[NODES], cement[NODES], top[NODES];
        for (int k = 0; k < NODES; ++k) { top[k] = x[k] = start_of(c, k); cement[k] = 1; }
        for (int s = 0; s < STEPS; ++s) {
            double mean = 0;
            for (int k = 0; k < NODES; ++k) mean += x[k] / NODES;
            double valve = mix.pipe * std::min(std::max(0.1 * mean - 2.0, 0.0), 1.0);
            for (int k = 0; k < NODES; ++k) {
                double below = k > 0 ? x[k - 1] : 12.0, above = k < NODES - 1 ? x[k + 1] : mix.air;
                double used = cement[k] * mix.rate * (0.02 * x[k] + 0.4);
                cement[k] -= used;
                next[k] = x[k] + (k == 10 || k == 21 ? valve * (mix.water - x[k]) : 0.0) + mix.heat * used
                        + mix.conduct * (below + above - 2 * x[k]);
                top[k] = std::max(top[k], next[k]);
            }
            std::copy(next, next + NODES, x);
        }
        for (int k = 0; k < NODES; ++k) {
            ok = ok && fabs(t[c * NODES + k] - x[k]) < 0.05 && fabs(h[c * NODES + k] - top[k]) < 0.05;
            hottest = std::max(hottest, h[c * NODES + k]);
        }
    }
    printf("hottest node: %.2f degrees\n", hottest);
    CK(cudaFree(temp));
    CK(cudaFree(peak));
    return report(ok);
}
