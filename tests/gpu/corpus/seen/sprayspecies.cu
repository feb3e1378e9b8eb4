// A spray of four kinds of droplets in one flow: oil, water, charged mist and evaporating fuel.
// Every kind has its own law of motion, integrated with small substeps in between two flow steps.
#include "common.h"

static const int N = 1 << 22;

struct Drop { float x, v, d, t; };              // position, speed, diameter, temperature

__host__ __device__ inline Drop seed_drop(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    return {(h & 255) / 256.0f, ((h >> 8) & 255) / 128.0f - 1.0f, 0.5f + ((h >> 16) & 255) / 256.0f, 300.0f + (h >> 24) * 0.2f};
}

__host__ __device__ inline float wind(float x) { return 0.6f + 0.3f * x * (1.0f - x); }

__host__ __device__ inline void oil(Drop &p, float dt)
{
    for (int s = 0; s < 24; ++s) {
        float slip = wind(p.x) - p.v;
        p.v += dt * 18.0f * slip / (p.d * p.d);
        p.x += dt * p.v;
    }
}

__host__ __device__ inline void water(Drop &p, float dt)
{
    for (int s = 0; s < 20; ++s) {
        float slip = wind(p.x) - p.v;
        float re = 40.0f * fabsf(slip) * p.d + 1e-3f;
        float cd = 24.0f / re * (1.0f + 0.15f * expf(0.687f * logf(re)));
        p.v += dt * (0.3f * cd * fabsf(slip) * slip / p.d - 0.05f);
        p.x += dt * p.v;
    }
}

__host__ __device__ inline void mist(Drop &p, float dt)
{
    for (int s = 0; s < 12; ++s) {
        float f = 0.0f;
        for (int e = 0; e < 5; ++e) {
            float dx = p.x - 0.25f * e, r2 = dx * dx + 0.04f;
            f += (e & 1 ? -0.01f : 0.01f) * dx / (r2 * sqrtf(r2));
        }
        p.v += dt * (f + 6.0f * (wind(p.x) - p.v));
        p.x += dt * p.v;
    }
}

__host__ __device__ inline void fuel(Drop &p, float dt)
{
    for (int s = 0; s < 18; ++s) {
        float vapour = expf(8.0f - 3000.0f / p.t);
        float sh = 2.0f + 0.6f * sqrtf(fabsf(wind(p.x) - p.v));
        p.d = fmaxf(0.2f, p.d - dt * 0.2f * sh * vapour / p.d);
        p.t += dt * (20.0f * sh * (350.0f - p.t) / (p.d * 50.0f) - 4.0f * vapour);
        p.v += dt * 9.0f * (wind(p.x) - p.v) / p.d;
        p.x += dt * p.v;
    }
}

__host__ __device__ inline void move(Drop &p, int kind, float dt)
{
    switch (kind) {
    case 0: oil(p, dt); break;
    case 1: water(p, dt); break;
    case 2: mist(p, dt); break;
    default: fuel(p, dt);
    }
}

__global__ void __launch_bounds__(256) fly(const Drop *in, Drop *out, const unsigned char *kind, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Drop p;
    *(float4 *)&p = *(const float4 *)&in[i];
    move(p, kind[i], dt);
    *(float4 *)&out[i] = *(float4 *)&p;
}

__global__ void inject(Drop *d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = seed_drop(i);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 250;
    const float dt = 0.001f;
    std::vector<unsigned char> kind(N);
    unsigned seed = 7;
    for (int i = 0; i < N; ++i) kind[i] = (lcg(seed) >> 20) & 3;
#ifdef GOOD
    {   // droplets of one kind stand next to each other
        int count[4] = {};
        for (int i = 0; i < N; ++i) ++count[kind[i]];
        for (int k = 0, i = 0; k < 4; ++k)
            for (int c = 0; c < count[k]; ++c) kind[i++] = (unsigned char)k;
    }
#endif
    Drop *in, *out;
    unsigned char *dk;
    CK(cudaMalloc(&in, sizeof(Drop) * N));
    CK(cudaMalloc(&out, sizeof(Drop) * N));
    CK(cudaMalloc(&dk, N));
    CK(cudaMemcpy(dk, kind.data(), N, cudaMemcpyHostToDevice));
    inject<<<N / 256, 256>>>(in);
    for (int s = 0; s < steps; ++s)             // the same state under another step each time
        fly<<<N / 256, 256>>>(in, out, dk, dt);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<Drop> h(N);
    CK(cudaMemcpy(h.data(), out, sizeof(Drop) * N, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 400; ++t) {
        int i = lcg(seed) % N;
        Drop p = seed_drop(i);
        move(p, kind[i], dt);
        ok = ok && close_to(h[i].x, p.x, 1e-3) && close_to(h[i].v, p.v, 1e-3) && close_to(h[i].d, p.d, 1e-3) && close_to(h[i].t, p.t, 1e-3);
    }
    CK(cudaFree(in)); CK(cudaFree(out)); CK(cudaFree(dk));
    return report(ok);
}
