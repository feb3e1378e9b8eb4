// Rain gauges: 65536 stations on a grid report every ten minutes; the report wants the rain since the
// beginning of the record and the depth of the store that leaks by a fixed share per step.
// The record is stored time step by time step; one thread follows one station through time.
#include "common.h"

static const int STATIONS = 65536, TIMES = 2048;

__host__ __device__ inline float rain(unsigned t, unsigned s)
{
    unsigned h = t * 0x9E3779B1u ^ s * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    return (h & 3) ? 0.0f : ((h >> 4) & 255) * (1.0f / 64.0f);  // exact in binary
}

__global__ void record(float *r)
{
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
    r[(size_t)blockIdx.y * STATIONS + s] = rain(blockIdx.y, s);
}

#ifdef GOOD
static const int AHEAD = 8;

__global__ void __launch_bounds__(256) accumulate(const float *in, float *out, float *store, float leak)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f, depth = 0.0f;
    for (int t = 0; t < TIMES; t += AHEAD) {
        float x[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) x[k] = in[(size_t)(t + k) * STATIONS + s];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            total += x[k];
            depth = depth * leak + x[k];
            out[(size_t)(t + k) * STATIONS + s] = total;
        }
    }
    store[s] = depth;
}
#else
__global__ void __launch_bounds__(256) accumulate(const float *in, float *out, float *store, float leak)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f, depth = 0.0f;
    for (int t = 0; t < TIMES; ++t) {
        float x = in[(size_t)t * STATIONS + s];
        total += x;
        depth = depth * leak + x;
        out[(size_t)t * STATIONS + s] = total;
    }
    store[s] = depth;
}
#endif

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 100;
    float *in, *out, *store;
    CK(cudaMalloc(&in, sizeof(float) * (size_t)TIMES * STATIONS));
    CK(cudaMalloc(&out, sizeof(float) * (size_t)TIMES * STATIONS));
    CK(cudaMalloc(&store, sizeof(float) * STATIONS));
    record<<<dim3(STATIONS / 256, TIMES), 256>>>(in);
    CK(cudaGetLastError());
    float leak = 0.0f;
    for (int r = 0; r < runs; ++r) {
        leak = 0.9f + 0.05f * (r % 2);
        accumulate<<<STATIONS / 256, 256>>>(in, out, store, leak);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned seed = 2;
    for (int k = 0; k < 20; ++k) {
        int s = lcg(seed) % STATIONS, stop = lcg(seed) % TIMES;
        float got, depth;
        CK(cudaMemcpy(&got, out + (size_t)stop * STATIONS + s, sizeof got, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&depth, store + s, sizeof depth, cudaMemcpyDeviceToHost));
        double total = 0, d = 0;
        for (int t = 0; t < TIMES; ++t) {
            if (t <= stop) total += rain(t, s);
            d = d * leak + rain(t, s);
        }
        ok = ok && close_to(got, total, 1e-5) && close_to(depth, d, 1e-3);
    }
    CK(cudaFree(in)); CK(cudaFree(out)); CK(cudaFree(store));
    return report(ok);
}
