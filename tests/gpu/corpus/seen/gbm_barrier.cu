// Down-and-out option by simulation: many geometric Brownian paths stepped together,
// each with its running minimum; the knocked-out ones pay nothing.
#include "common.h"

#ifndef PATHS
#define PATHS (32 << 20)
#endif

struct Market { float drift, vol, s0; };

static __host__ __device__ inline float normal(unsigned path, unsigned step)
{
    unsigned a = path * 2654435761u + step * 0x9e3779b9u;
    a ^= a >> 16; a *= 0x7feb352du; a ^= a >> 15; a *= 0x846ca68bu; a ^= a >> 16;
    unsigned b = a * 747796405u + 2891336453u;
    b ^= b >> 15; b *= 2246822519u; b ^= b >> 13;
    float u = ((a >> 8) + 0.5f) * (1.0f / 16777216.0f), v = (b >> 8) * (1.0f / 16777216.0f);
    return sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
}

__global__ void begin(float *s, float *low, int n, float s0)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { s[i] = s0; low[i] = s0; }
}

#ifdef GOOD
__global__ void step_all(float *__restrict__ s, float *__restrict__ low, int n, int step, Market m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = s[i] * expf(m.drift + m.vol * normal(i, step));
    s[i] = v;
    low[i] = fminf(low[i], v);
}
#else
__global__ void draw(float *__restrict__ z, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = normal(i, step);
}

__global__ void move(float *__restrict__ s, const float *__restrict__ z, int n, Market m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[i] *= expf(m.drift + m.vol * z[i]);
}

__global__ void watch(const float *__restrict__ s, float *__restrict__ low, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) low[i] = fminf(low[i], s[i]);
}
#endif

__global__ void payoff(const float *__restrict__ s, const float *__restrict__ low, int n,
                       float strike, float barrier, double *sum)
{
    float p = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (low[i] > barrier) p += fmaxf(s[i] - strike, 0.0f);
    for (int d = 16; d > 0; d >>= 1) p += __shfl_down_sync(0xffffffffu, p, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(sum, (double)p);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 300;
    const int n = PATHS, blocks = (n + 255) / 256;
    const float rate = 0.03f, sigma = 0.25f, dt = 1.0f / steps, strike = 100.0f, barrier = 85.0f;
    Market m = {(rate - 0.5f * sigma * sigma) * dt, sigma * sqrtf(dt), 100.0f};
    float *s, *low, *z;
    double *sum, total;
    CK(cudaMalloc(&s, n * sizeof(float)));
    CK(cudaMalloc(&low, n * sizeof(float)));
    CK(cudaMalloc(&z, n * sizeof(float)));
    CK(cudaMalloc(&sum, sizeof(double)));
    CK(cudaMemset(sum, 0, sizeof(double)));
    begin<<<blocks, 256>>>(s, low, n, m.s0);
    for (int k = 0; k < steps; k++) {
#ifdef GOOD
        step_all<<<blocks, 256>>>(s, low, n, k, m);
#else
        draw<<<blocks, 256>>>(z, n, k);
        move<<<blocks, 256>>>(s, z, n, m);
        watch<<<blocks, 256>>>(s, low, n);
#endif
    }
    payoff<<<1024, 256>>>(s, low, n, strike, barrier, sum);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
    printf("price %.4f\n", exp(-rate) * total / n);

    bool ok = total > 0;
    std::vector<float> fs(256), fl(256);
    int first = n / 2;
    CK(cudaMemcpy(fs.data(), s + first, 256 * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(fl.data(), low + first, 256 * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) {
        double v = m.s0, l = m.s0;
        for (int k = 0; k < steps; k++) {
            v *= exp((double)m.drift + (double)m.vol * normal(first + i, k));
            l = std::min(l, v);
        }
        ok = ok && close_to(fs[i], v, 1e-3) && close_to(fl[i], l, 1e-3);
    }
    CK(cudaFree(s)); CK(cudaFree(low)); CK(cudaFree(z)); CK(cudaFree(sum));
    return report(ok);
}
