// Photons in a scattering slab (fog layer): isotropic scattering, absorption with
// probability 1 - albedo at each collision; counts what is reflected, let through
// and absorbed.  Each thread follows a fixed number of photons.
#include "common.h"

#ifndef PHOTONS
#define PHOTONS (1ull << 31)
#endif

struct Slab { float depth, albedo; };

static __host__ __device__ inline unsigned mix(unsigned v)
{
    v ^= v >> 16; v *= 0x7feb352du; v ^= v >> 15; v *= 0x846ca68bu; v ^= v >> 16;
    return v | 1u;
}

static __host__ __device__ inline float draw(unsigned &s)
{
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    return ((s >> 8) + 0.5f) * (1.0f / 16777216.0f);
}

// One flight and its end: 0 still alive, 1 reflected, 2 through, 3 absorbed
static __host__ __device__ inline int flight(unsigned &s, float &z, float &mu, const Slab &b)
{
    z -= mu * logf(draw(s));
    if (z < 0.0f) return 1;
    if (z > b.depth) return 2;
    if (draw(s) > b.albedo) return 3;
    mu = 2.0f * draw(s) - 1.0f;
    return 0;
}

__global__ void trace(Slab b, int per_thread, unsigned threads, unsigned long long *tally)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned back = 0, thru = 0, dead = 0;
#ifdef GOOD
    int left = per_thread;
    unsigned s = mix(id);
    float z = 0.0f, mu = 1.0f;
    while (left > 0) {
        int end = flight(s, z, mu, b);
        if (end) {
            back += end == 1; thru += end == 2; dead += end == 3;
            left--;
            s = mix(id + (unsigned)(per_thread - left) * threads);
            z = 0.0f; mu = 1.0f;
        }
    }
#else
    for (int p = 0; p < per_thread; p++) {
        unsigned s = mix(id + (unsigned)p * threads);
        float z = 0.0f, mu = 1.0f;
        int end;
        while ((end = flight(s, z, mu, b)) == 0) {}
        back += end == 1; thru += end == 2; dead += end == 3;
    }
#endif
    for (int d = 16; d > 0; d >>= 1) {
        back += __shfl_down_sync(0xffffffffu, back, d);
        thru += __shfl_down_sync(0xffffffffu, thru, d);
        dead += __shfl_down_sync(0xffffffffu, dead, d);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&tally[0], (unsigned long long)back);
        atomicAdd(&tally[1], (unsigned long long)thru);
        atomicAdd(&tally[2], (unsigned long long)dead);
    }
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 1;
    int dev, sms;
    CK(cudaGetDevice(&dev));
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    unsigned threads = (unsigned)sms * 8 * 256;
    int per_thread = (int)(PHOTONS / threads);
    Slab b = {8.0f, 0.98f};
    unsigned long long *tally, got[3];
    CK(cudaMalloc(&tally, 3 * sizeof(*tally)));
    for (int r = 0; r < repeats; r++) {
        CK(cudaMemsetAsync(tally, 0, 3 * sizeof(*tally)));
        trace<<<sms * 8, 256>>>(b, per_thread, threads, tally);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, tally, sizeof got, cudaMemcpyDeviceToHost));

    double total = (double)threads * per_thread;
    long ref[3] = {0, 0, 0}, host = 150000, events = 0;
    for (long p = 0; p < host; p++) {
        unsigned s = mix((unsigned)p);
        float z = 0.0f, mu = 1.0f;
        int end;
        while ((end = flight(s, z, mu, b)) == 0) events++;
        ref[end - 1]++;
    }
    bool ok = (double)got[0] + (double)got[1] + (double)got[2] == total;
    for (int q = 0; q < 3; q++) {
        printf("%.5f (host %.5f) ", got[q] / total, (double)ref[q] / host);
        ok = ok && fabs(got[q] / total - (double)ref[q] / host) < 0.01;
    }
    printf("collisions %.1f\n", (double)events / host);
    CK(cudaFree(tally));
    return report(ok);
}
