// Password audit: candidates of a mask attack are stretched by many iterations of a mixing function, like a key
// derivation does, then compared with the stored digest.
// usage: keystretch batches iterations
#include "common.h"

#define BATCH 135168         // candidates tried together
#define THREADS 128

__host__ __device__ inline unsigned turn(unsigned x, int r) { return x << r | x >> (32 - r); }

__host__ __device__ inline void quarter(uint4 &s)
{
    s.x += s.y; s.w = turn(s.w ^ s.x, 16);
    s.z += s.w; s.y = turn(s.y ^ s.z, 12);
    s.x += s.y; s.w = turn(s.w ^ s.x, 8);
    s.z += s.w; s.y = turn(s.y ^ s.z, 7);
}

__host__ __device__ inline uint4 mixOnce(uint4 s, unsigned iteration)
{
    uint4 in = s;
    s.x ^= iteration * 0x9e3779b9u;
    #pragma unroll
    for (int r = 0; r < 10; ++r) {
        quarter(s);
        unsigned k = s.x; s.x = s.y; s.y = s.z; s.z = s.w; s.w = k;
    }
    s.x += in.x; s.y += in.y; s.z += in.z; s.w += in.w;
    return s;
}

__host__ __device__ inline uint4 startOf(unsigned candidate)
{
    uint4 s;
    s.x = candidate; s.y = 0x61707865u; s.z = 0x3320646eu ^ (candidate >> 7); s.w = 0x79622d32u;
    return s;
}

__global__ void seed(uint4 *state, unsigned from)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    state[i] = startOf(from + i);
}

__global__ void stretch(uint4 *state, unsigned iteration, unsigned end)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 s = state[i];
    for (; iteration < end; ++iteration) s = mixOnce(s, iteration);
    state[i] = s;
}

__global__ void compare(const uint4 *state, uint4 digest, unsigned from, unsigned *found)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 s = state[i];
    if (s.x == digest.x && s.y == digest.y && s.z == digest.z && s.w == digest.w) atomicMin(found, from + i);
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 100;
    int iterations = argc > 2 ? atoi(argv[2]) : 2000;
    const unsigned secret = (unsigned)(batches - 1) * BATCH + 98765u;
    uint4 digest = startOf(secret);
    for (int k = 0; k < iterations; ++k) digest = mixOnce(digest, (unsigned)k);

    uint4 *state; unsigned *found;
    CK(cudaMalloc(&state, BATCH * sizeof(uint4)));
    CK(cudaMalloc(&found, sizeof(unsigned)));
    CK(cudaMemset(found, 0xff, sizeof(unsigned)));
    for (int b = 0; b < batches; ++b) {
        unsigned from = (unsigned)b * BATCH;
        seed<<<BATCH / THREADS, THREADS>>>(state, from);
#ifdef GOOD
        stretch<<<BATCH / THREADS, THREADS>>>(state, 0u, (unsigned)iterations);
#else
        for (unsigned k = 0; k < (unsigned)iterations; ++k)
            stretch<<<BATCH / THREADS, THREADS>>>(state, k, k + 1);
#endif
        compare<<<BATCH / THREADS, THREADS>>>(state, digest, from, found);
    }
    CK(cudaGetLastError());
    unsigned f = 0;
    std::vector<uint4> s(BATCH);
    CK(cudaMemcpy(&f, found, sizeof(f), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(s.data(), state, BATCH * sizeof(uint4), cudaMemcpyDeviceToHost));

    bool ok = f == secret;
    for (int t = 0; t < 20; ++t) {
        unsigned i = (unsigned)((long long)t * (BATCH - 1) / 19);
        uint4 w = startOf((unsigned)(batches - 1) * BATCH + i);
        for (int k = 0; k < iterations; ++k) w = mixOnce(w, (unsigned)k);
        ok = ok && w.x == s[i].x && w.y == s[i].y && w.z == s[i].z && w.w == s[i].w;
    }
    printf("candidate %u\n", f);
    CK(cudaFree(state)); CK(cudaFree(found));
    return report(ok);
}
