// k-epsilon turbulence model, pointwise part of a time step (production, limiter, sources, clipping).
#include "common.h"

const int N = 32 << 20;
const float CMU = 0.09f, C1 = 1.44f, C2 = 1.92f, DT = 1e-3f;

__host__ __device__ inline float noise(unsigned i, unsigned s)
{
    unsigned h = i * 2654435761u + s;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    return (h >> 16) / 65536.0f;
}

__global__ void start(float *k, float *eps, float *s2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    k[i] = 0.5f + noise(i, 1);
    eps[i] = 0.5f + noise(i, 2);
    s2[i] = 20.0f * noise(i, 3);
}

#define POINT int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= N) return

#ifdef GOOD
__global__ void ke_step(float *__restrict__ k, float *__restrict__ eps, const float *__restrict__ s2, float *__restrict__ nut)
{
    POINT;
    float ki = k[i], ei = eps[i];
    float nu = CMU * ki * ki / ei;
    nut[i] = nu;
    float p = fminf(nu * s2[i], 10.0f * ei);
    float kn = ki + DT * (p - ei);
    float en = ei + DT * (C1 * p - C2 * ei) * ei / kn;
    k[i] = fmaxf(kn, 1e-6f);
    eps[i] = fmaxf(en, 1e-8f);
}
#else
__global__ void viscosity(const float *__restrict__ k, const float *__restrict__ eps, float *__restrict__ nut)
{
    POINT;
    nut[i] = CMU * k[i] * k[i] / eps[i];
}
__global__ void production(const float *__restrict__ nut, const float *__restrict__ s2, float *__restrict__ p)
{
    POINT;
    p[i] = nut[i] * s2[i];
}
__global__ void limiter(float *__restrict__ p, const float *__restrict__ eps)
{
    POINT;
    p[i] = fminf(p[i], 10.0f * eps[i]);
}
__global__ void advance_k(float *__restrict__ k, const float *__restrict__ p, const float *__restrict__ eps)
{
    POINT;
    k[i] += DT * (p[i] - eps[i]);
}
__global__ void advance_eps(float *__restrict__ eps, const float *__restrict__ p, const float *__restrict__ k)
{
    POINT;
    float e = eps[i];
    eps[i] = e + DT * (C1 * p[i] - C2 * e) * e / k[i];
}
__global__ void clip(float *__restrict__ a, float lowest)
{
    POINT;
    a[i] = fmaxf(a[i], lowest);
}
#endif

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 120;
    float *k, *eps, *s2, *nut, *p;
    for (float **a : {&k, &eps, &s2, &nut, &p}) CK(cudaMalloc(a, (size_t)N * 4));
    const int B = 256, G = N / B;
    start<<<G, B>>>(k, eps, s2);
    CK(cudaGetLastError());
    for (int t = 0; t < steps; t++) {
#ifdef GOOD
        ke_step<<<G, B>>>(k, eps, s2, nut);
#else
        viscosity<<<G, B>>>(k, eps, nut);
        production<<<G, B>>>(nut, s2, p);
        limiter<<<G, B>>>(p, eps);
        advance_k<<<G, B>>>(k, p, eps);
        advance_eps<<<G, B>>>(eps, p, k);
        clip<<<G, B>>>(k, 1e-6f);
        clip<<<G, B>>>(eps, 1e-8f);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (unsigned i = 9; i < (unsigned)N; i += N / 60) {
        double ki = 0.5f + noise(i, 1), ei = 0.5f + noise(i, 2), s = 20.0f * noise(i, 3);
        for (int t = 0; t < steps; t++) {
            double pr = std::min(CMU * ki * ki / ei * s, 10.0 * ei);
            ki += DT * (pr - ei);
            ei += DT * (C1 * pr - C2 * ei) * ei / ki;
        }
        float gk, ge;
        CK(cudaMemcpy(&gk, k + i, 4, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&ge, eps + i, 4, cudaMemcpyDeviceToHost));
        ok = ok && close_to(gk, ki, 1e-3) && close_to(ge, ei, 1e-3);
    }
    for (float *a : {k, eps, s2, nut, p}) CK(cudaFree(a));
    return report(ok);
}
