// Depth dose of a photon beam in a slab by Monte Carlo: exponential flights, isotropic scattering,
// absorption tallied by depth. Every thread follows its own stream of histories.
#include "common.h"
typedef unsigned long long u64;

#ifndef STREAMS
#define STREAMS 270336
#endif
const int BINS = 256, FLIGHTS = 2000;
const float DEPTH = 8.0f, ALBEDO = 0.7f;
#ifdef GOOD
const int TEAM = 256, COPIES = 1;
#else
const int TEAM = 64, COPIES = TEAM;
#endif

struct Photon { float z, mu; };

__host__ __device__ inline unsigned sow(unsigned stream, unsigned round)
{
    unsigned x = stream * 2654435761u ^ round * 0x85ebca6bu;
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x ? x : 1u;
}

__host__ __device__ inline float draw(unsigned &x)
{
    x ^= x << 13; x ^= x >> 17; x ^= x << 5;
    return ((x >> 8) + 1) * (1.0f / 16777216.0f);
}

__host__ __device__ inline float length(float u)
{
#ifdef __CUDA_ARCH__
    return -__logf(u);
#else
    return -logf(u);
#endif
}

enum Fate { FLYING, LOST, ABSORBED };

__host__ __device__ inline Fate fly(Photon &p, unsigned &rng, int &bin)
{
    p.z += p.mu * length(draw(rng));
    bool out = p.z < 0 || p.z >= DEPTH, stop = draw(rng) > ALBEDO;
    float turn = draw(rng);
    bin = (int)(p.z * (BINS / DEPTH));
    p.mu = out || stop ? 1.0f : 2.0f * turn - 1.0f;
    if (out || stop) p.z = 0;
    return out ? LOST : stop ? ABSORBED : FLYING;
}

__global__ void __launch_bounds__(TEAM) transport(u64 *dose, u64 *lost, unsigned round)
{
    extern __shared__ unsigned tally[];
    int t = threadIdx.x;
    for (int b = t; b < BINS * COPIES; b += TEAM) tally[b] = 0;
    __syncthreads();
    unsigned rng = sow(blockIdx.x * TEAM + t, round), away = 0;
    Photon p = {0.0f, 1.0f};
    for (int s = 0; s < FLIGHTS; s++) {
        int bin;
        Fate f = fly(p, rng, bin);
        away += f == LOST;
        if (f == ABSORBED) {
            if (COPIES == 1) atomicAdd(&tally[bin], 1u);
            else tally[bin * COPIES + t]++;
        }
    }
    __syncthreads();
    for (int b = t; b < BINS; b += TEAM) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++) sum += tally[b * COPIES + (c + t) % COPIES];
        if (sum) atomicAdd(dose + b, (u64)sum);
    }
    away = __reduce_add_sync(0xffffffffu, away);
    if (t % 32 == 0) atomicAdd(lost, (u64)away);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 700;
    u64 *dose, *lost;
    CK(cudaMalloc(&dose, BINS * sizeof(u64)));
    CK(cudaMalloc(&lost, sizeof(u64)));
    CK(cudaMemset(dose, 0, BINS * sizeof(u64)));
    CK(cudaMemset(lost, 0, sizeof(u64)));
    size_t bytes = BINS * COPIES * sizeof(unsigned);
    CK(cudaFuncSetAttribute(transport, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    for (int r = 0; r < rounds; r++) transport<<<STREAMS / TEAM, TEAM, bytes>>>(dose, lost, r);
    CK(cudaGetLastError());
    u64 h[BINS], away;
    CK(cudaMemcpy(h, dose, sizeof h, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&away, lost, sizeof away, cudaMemcpyDeviceToHost));

    // the same walk on the host with a few streams of its own, compared in eight layers
    double want[8] = {0}, got[8] = {0}, ends = 0, all = (double)away, gone = 0;
    for (int s = 0; s < 600; s++) {
        unsigned rng = sow(s, 0xabcdefu);
        Photon p = {0.0f, 1.0f};
        for (int k = 0; k < FLIGHTS; k++) {
            int bin;
            Fate f = fly(p, rng, bin);
            if (f == ABSORBED) want[bin * 8 / BINS]++;
            if (f == LOST) gone++;
            ends += f != FLYING;
        }
    }
    for (int b = 0; b < BINS; b++) {
        got[b * 8 / BINS] += (double)h[b];
        all += (double)h[b];
    }
    bool ok = fabs(away / all - gone / ends) < 0.01;
    for (int k = 0; k < 8; k++) ok = ok && fabs(got[k] / all - want[k] / ends) < 0.01;
    printf("absorbed in the first layer %.4f, left the slab %.4f\n", got[0] / all, away / all);
    // as many ends of histories as the mean number of flights allows
    double flights = (double)STREAMS * FLIGHTS * rounds;
    ok = ok && fabs(all / flights - ends / (600.0 * FLIGHTS)) < 0.01;
    CK(cudaFree(dose)); CK(cudaFree(lost));
    return report(ok);
}
