// Gas network: flow through every main from the pressures at its ends; the friction factor by Colebrook's equation.
//   gasmains [iterations]
#include "common.h"

struct State { float density, viscosity; };

__host__ __device__ static inline float lg(float x)
{
#ifdef __CUDA_ARCH__
    return __log2f(x) * 0.30103f;
#else
    return log10f(x);
#endif
}

__host__ __device__ static inline float inv(float x)
{
#ifdef __CUDA_ARCH__
    return __fdividef(1.0f, x);
#else
    return 1.0f / x;
#endif
}

__host__ __device__ __forceinline__ float flow(float drop, float bore, State gas, int rounds)
{
    float rough = 5e-5f * inv(3.7f * bore), root = 7.0f;
    float pull = sqrtf(2 * bore * drop * inv(gas.density)) * 0.1f, speed = pull * root;
#ifdef __CUDA_ARCH__
#pragma unroll 4
#endif
    for (int k = 0; k < rounds; k++) {
        float reynolds = gas.density * speed * bore * inv(gas.viscosity) + 1.0f;
        root = -2.0f * lg(rough + 2.51f * root * inv(reynolds));
        speed = 0.5f * (speed + pull * root);
    }
    return 0.785398f * bore * bore * speed * gas.density;
}

__global__ void solve(const float *__restrict__ pa, const float *__restrict__ pb, const float *__restrict__ bore,
                      float *__restrict__ kgs, int n, State inlet, State outlet, int rounds, float load)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float d = load * (pa[i] - pb[i]), b = bore[i];
#ifdef GOOD
    bool along = d >= 0;
    State gas = along ? inlet : outlet;
    kgs[i] = copysignf(flow(fabsf(d), b, gas, rounds), d);
#else
    if (d >= 0)
        kgs[i] = flow(d, b, inlet, rounds);
    else
        kgs[i] = -flow(-d, b, outlet, rounds);
#endif
}

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : 7000;
    const int n = 3300007, rounds = 24;
    std::vector<float> pa(n), pb(n), bore(n), h(n);
    unsigned seed = 31;
    for (int i = 0; i < n; i++) {
        pa[i] = 3e5f + 4e4f * frand(seed);
        pb[i] = 3e5f + 4e4f * frand(seed);
        bore[i] = 0.05f + 0.5f * frand(seed);
    }
    State inlet = { 2.4f, 1.10e-5f }, outlet = { 2.1f, 1.05e-5f };
    float *a, *b, *c, *q;
    CK(cudaMalloc(&a, n * sizeof(float)));
    CK(cudaMalloc(&b, n * sizeof(float)));
    CK(cudaMalloc(&c, n * sizeof(float)));
    CK(cudaMalloc(&q, n * sizeof(float)));
    CK(cudaMemcpy(a, pa.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(b, pb.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(c, bore.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    float load = 1;
    for (int k = 0; k < iterations; k++) {
        load = 0.6f + 0.01f * (k % 40);
        solve<<<(n + 255) / 256, 256>>>(a, b, c, q, n, inlet, outlet, rounds, load);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), q, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 4001) {
        float d = load * (pa[i] - pb[i]);
        float want = d >= 0 ? flow(d, bore[i], inlet, rounds) : -flow(-d, bore[i], outlet, rounds);
        ok = ok && close_to(h[i], want, 3e-3);
    }
    CK(cudaFree(a)); CK(cudaFree(b)); CK(cudaFree(c)); CK(cudaFree(q));
    return report(ok);
}
