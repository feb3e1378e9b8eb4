// Index join: probe keys are looked up in a sorted key column (lower bound), the
// matching rate is fetched and the result tuples are staged in shared memory
// before they are written out.
#include "common.h"

constexpr unsigned KEYS = 128u << 20, STRIDE = 31;
constexpr int BLOCK = 64, PROBES = 96, BLOCKS = 24576;
#ifdef GOOD
constexpr int DEPTH = 4;        // tuples per thread in the staging area
#else
constexpr int DEPTH = 96;
#endif

struct __align__(16) Tuple { unsigned key, row; float rate, weight; };

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline unsigned key_at(unsigned i) { return i * STRIDE + mix(i) % STRIDE; }
__host__ __device__ inline float rate_at(unsigned i) { return 0.01f + (i % 1000) * 1e-4f; }
__host__ __device__ inline unsigned probe_key(unsigned i) { return mix(i ^ 0x5bd1e995u) % (KEYS * STRIDE - STRIDE); }

__global__ void build_index(unsigned *keys, float *rates)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    keys[i] = key_at(i);
    rates[i] = rate_at(i);
}

__global__ void __launch_bounds__(BLOCK) probe(const unsigned *keys, const float *rates, Tuple *out, unsigned salt)
{
    extern __shared__ Tuple stage[];                   // DEPTH x BLOCK
    const unsigned base = blockIdx.x * (unsigned)(BLOCK * PROBES);
    for (int p = 0; p < PROBES; p++) {
        unsigned k = probe_key(base + p * BLOCK + threadIdx.x + salt);
        unsigned lo = 0;
        for (unsigned half = KEYS / 2; half > 0; half >>= 1)
            if (keys[lo + half - 1] < k) lo += half;
        lo += keys[lo] < k;
        stage[(p % DEPTH) * BLOCK + threadIdx.x] = {k, lo, rates[lo], 1.0f / (1.0f + (float)(keys[lo] - k))};
        if (p % DEPTH == DEPTH - 1)
            for (int d = 0; d < DEPTH; d++)
                out[base + (p - DEPTH + 1 + d) * BLOCK + threadIdx.x] = stage[d * BLOCK + threadIdx.x];
    }
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 1;
    const size_t total = (size_t)BLOCK * PROBES * BLOCKS;
    const int smem = DEPTH * BLOCK * (int)sizeof(Tuple);
    unsigned *keys;
    float *rates;
    Tuple *out;
    CK(cudaMalloc(&keys, (size_t)KEYS * sizeof(unsigned)));
    CK(cudaMalloc(&rates, (size_t)KEYS * sizeof(float)));
    CK(cudaMalloc(&out, total * sizeof(Tuple)));
    build_index<<<KEYS / 256, 256>>>(keys, rates);
    CK(cudaGetLastError());
    CK(cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    for (int b = 0; b < batches; b++)
        probe<<<BLOCKS, BLOCK, smem>>>(keys, rates, out, b * 7919u);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 200; q++) {
        unsigned i = q * 754321u % (unsigned)total;
        Tuple t;
        CK(cudaMemcpy(&t, out + i, sizeof t, cudaMemcpyDeviceToHost));
        unsigned k = probe_key(i + (batches - 1) * 7919u), r = k / STRIDE;
        while (key_at(r) < k) r++;
        ok = ok && t.key == k && t.row == r && close_to(t.rate, rate_at(r), 1e-5) &&
             close_to(t.weight, 1.0 / (1.0 + (key_at(r) - k)), 1e-5);
    }
    CK(cudaFree(keys)); CK(cudaFree(rates)); CK(cudaFree(out));
    return report(ok);
}
