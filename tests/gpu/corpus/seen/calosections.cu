// Calorimeter read-out: energy per section (16 sections) of every collision event; one block per event.
#include "common.h"

static const int EVENTS = 16384;
static const int HITS = 4096;
static const int SECT = 16;
static const int NT = 256;

struct Hit { unsigned cell; float energy; };

static __host__ __device__ Hit hit_at(int ev, int k)
{
    unsigned h = (unsigned)(ev * HITS + k);
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    Hit r;
    r.cell = h >> 12;
    r.energy = 0.01f + (float)(h & 4095u) * 0.001f;
    return r;
}
static __host__ __device__ int section_of(unsigned cell) { return (int)((cell ^ (cell >> 7)) & (SECT - 1)); }

__global__ void digitise(Hit *hit)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    hit[(size_t)blockIdx.y * HITS + k] = hit_at(blockIdx.y, k);
}

__global__ void __launch_bounds__(NT) section_energy(const Hit *__restrict__ hit, float *energy)
{
    const uint2 *h = reinterpret_cast<const uint2 *>(hit + (size_t)blockIdx.x * HITS);
#ifdef GOOD
    // one accumulator per thread and section, lane = bank
    __shared__ float acc[SECT][NT];
    for (int s = 0; s < SECT; s++) acc[s][threadIdx.x] = 0.0f;
    for (int k = threadIdx.x; k < HITS; k += NT) {
        uint2 q = h[k];
        acc[section_of(q.x)][threadIdx.x] += __uint_as_float(q.y);
    }
    __syncthreads();
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    for (int s = warp; s < SECT; s += NT / 32) {
        float e = 0.0f;
        for (int t = lane; t < NT; t += 32) e += acc[s][t];
        for (int o = 16; o > 0; o >>= 1) e += __shfl_down_sync(0xffffffffu, e, o);
        if (lane == 0) energy[blockIdx.x * SECT + s] = e;
    }
#else
    __shared__ float acc[SECT];
    if (threadIdx.x < SECT) acc[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int k = threadIdx.x; k < HITS; k += NT) {
        uint2 q = h[k];
        atomicAdd(&acc[section_of(q.x)], __uint_as_float(q.y));
    }
    __syncthreads();
    if (threadIdx.x < SECT) energy[blockIdx.x * SECT + threadIdx.x] = acc[threadIdx.x];
#endif
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 300;
    Hit *hit;
    float *energy;
    CK(cudaMalloc(&hit, (size_t)EVENTS * HITS * sizeof(Hit)));
    CK(cudaMalloc(&energy, (size_t)EVENTS * SECT * sizeof(float)));
    digitise<<<dim3(HITS / 256, EVENTS), 256>>>(hit);
    CK(cudaGetLastError());
    for (int r = 0; r < runs; r++)
        section_energy<<<EVENTS, NT>>>(hit, energy);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int ev : {0, 999, EVENTS - 1}) {
        double e[SECT] = {};
        for (int k = 0; k < HITS; k++) {
            Hit q = hit_at(ev, k);
            e[section_of(q.cell)] += q.energy;
        }
        float got[SECT];
        CK(cudaMemcpy(got, energy + (size_t)ev * SECT, sizeof got, cudaMemcpyDeviceToHost));
        for (int s = 0; s < SECT; s++) ok = ok && close_to(got[s], e[s], 1e-4);
    }
    cudaFree(hit); cudaFree(energy);
    return report(ok);
}
