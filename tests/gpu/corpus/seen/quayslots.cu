// Container terminal: for every ship that calls, the yard slot is sought that is nearest to any of its containers'
// hatches, with a penalty for high stacks.
// usage: quayslots slots ships
#include "common.h"

#define HATCHES 200
#define THREADS 256

struct Ship { float4 hatch[HATCHES]; };      // along the quay, across, weight, unused

__host__ __device__ inline float effort(float4 slot, float4 h)
{
    return fabsf(slot.x - h.x) + 2.0f * fabsf(slot.y - h.y) + slot.z * h.z + slot.w;
}

__global__ void __launch_bounds__(THREADS) seek(const float4 *__restrict__ yard, Ship ship, unsigned long long *best, int n)
{
    __shared__ unsigned long long part[THREADS / 32];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned long long mine = ~0ull;
    if (i < n) {
        const float4 slot = yard[i];
        float least = 1e30f;
        #pragma unroll 8
        for (int h = 0; h < HATCHES; ++h) least = fminf(least, effort(slot, ship.hatch[h]));
        mine = (unsigned long long)__float_as_uint(least) << 32 | (unsigned)i;
    }
    for (int o = 16; o; o >>= 1) mine = min(mine, __shfl_xor_sync(0xffffffffu, mine, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) mine = min(mine, part[w]);
        if (mine < *(volatile unsigned long long *)best) atomicMin(best, mine);
    }
}

static Ship shipOf(int k)
{
    Ship s;
    unsigned seed = 4711u + (unsigned)k * 7919u;
    for (int h = 0; h < HATCHES; ++h) {
        float x = 200.0f * frand(seed) + 13.0f * (float)(k % 50), y = -5.0f - 40.0f * frand(seed);
        s.hatch[h] = make_float4(x, y, 0.5f + frand(seed), 0.0f);
    }
    return s;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1048576, ships = argc > 2 ? atoi(argv[2]) : 2200;
    float4 *yard, *dyard; unsigned long long *best;
    CK(cudaMallocHost(&yard, n * sizeof(float4)));
    CK(cudaMalloc(&dyard, n * sizeof(float4)));
    CK(cudaMalloc(&best, ships * sizeof(*best)));
    CK(cudaMemset(best, 0xff, ships * sizeof(*best)));
    unsigned seed = 12;
    for (int i = 0; i < n; ++i)
        yard[i] = make_float4(1000.0f * frand(seed), 300.0f * frand(seed), (float)(lcg(seed) >> 29), 10.0f * frand(seed));
    cudaStream_t stream;
    CK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CK(cudaDeviceSynchronize());
#ifdef GOOD
    CK(cudaMemcpyAsync(dyard, yard, n * sizeof(float4), cudaMemcpyHostToDevice, stream));
#endif
    for (int k = 0; k < ships; ++k) {
#ifndef GOOD
        CK(cudaMemcpyAsync(dyard, yard, n * sizeof(float4), cudaMemcpyHostToDevice, stream));
#endif
        seek<<<(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(dyard, shipOf(k), best + k, n);
    }
    CK(cudaStreamSynchronize(stream));
    CK(cudaGetLastError());
    std::vector<unsigned long long> got(ships);
    CK(cudaMemcpy(got.data(), best, ships * sizeof(*best), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 20; ++q) {
        int k = (int)((long long)q * (ships - 1) / 19);
        Ship s = shipOf(k);
        auto least = [&](int i) {
            float e = 1e30f;
            for (int h = 0; h < HATCHES; ++h) e = std::min(e, effort(yard[i], s.hatch[h]));
            return e;
        };
        unsigned bits = (unsigned)(got[k] >> 32), slot = (unsigned)got[k];
        float claimed;
        memcpy(&claimed, &bits, sizeof claimed);
        ok = ok && slot < (unsigned)n && fabsf(least((int)slot) - claimed) < 1e-2f;
        for (int i = q; i < n && ok; i += 97) ok = least(i) >= claimed - 1e-2f;
        if (q == 0) printf("first ship: slot %u, effort %.3f\n", slot, claimed);
    }
    CK(cudaFreeHost(yard)); CK(cudaFree(dyard)); CK(cudaFree(best)); CK(cudaStreamDestroy(stream));
    return report(ok);
}
