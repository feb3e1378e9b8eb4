// First-passage times of diffusing particles: stored trajectories (time-major, one column a particle) are scanned
// for the first time at which the particle lies beyond the absorbing wall.
#include "common.h"

#define AHEAD 8

__host__ __device__ static inline float kick(unsigned p, unsigned t)
{
    unsigned h = p * 0x9E3779B1u + t * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    return (float)((int)(h & 1023u) - 511);                     // whole numbers: sums are exact
}

__global__ void walk(float *x, int particles, int times)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= particles) return;
    float at = 0;
    for (int t = 0; t < times; t++) {
        at += kick(p, t);
        x[(size_t)t * particles + p] = at;
    }
}

__global__ void first_passage(const float *__restrict__ x, int particles, int times, float wall, int *__restrict__ when)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= particles) return;
    const float *c = x + p;
    int t = 0;
#ifdef GOOD
    for (; t < times; t += AHEAD) {                             // times is a multiple of AHEAD
        float v[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) v[k] = c[(size_t)(t + k) * particles];
        int hit = AHEAD;
#pragma unroll
        for (int k = AHEAD - 1; k >= 0; k--)
            if (v[k] >= wall) hit = k;
        if (hit < AHEAD) { t += hit; break; }
    }
#else
    while (t < times && c[(size_t)t * particles] < wall) t++;
#endif
    when[p] = t;
}

int main(int argc, char **argv)
{
    int scans = argc > 1 ? atoi(argv[1]) : 150;
    const int particles = argc > 2 ? atoi(argv[2]) : 1 << 17, times = 1600;
    float *x;
    int *when;
    CK(cudaMalloc(&x, (size_t)particles * times * sizeof(float)));
    CK(cudaMalloc(&when, particles * sizeof(int)));
    walk<<<(particles + 127) / 128, 128>>>(x, particles, times);
    CK(cudaGetLastError());
    std::vector<int> h(particles);
    float wall = 0;
    for (int s = 0; s < scans; s++) {
        wall = 9000.0f + 20.0f * s;                             // walls further and further out
        first_passage<<<(particles + 127) / 128, 128>>>(x, particles, times, wall, when);
        CK(cudaGetLastError());
    }
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h.data(), when, particles * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    long long passed = 0;
    for (int p = 0; p < particles; p++) passed += h[p] < times;
    for (int p = 3; p < particles; p += 379) {
        float at = 0;
        int t = 0;
        for (; t < times; t++) { at += kick(p, t); if (at >= wall) break; }
        if (t != h[p]) ok = false;
    }
    printf("%lld of %d particles reached %.0f\n", passed, particles, wall);
    CK(cudaFree(x));
    CK(cudaFree(when));
    return report(ok);
}
