// Particles in a double-well potential (symplectic Euler): each thread carries eight of them through all time steps.
#include "common.h"

const int EACH = 8;

__host__ __device__ static inline float start_x(int i) { return -1.4f + 2.8f * ((i * 37) % 1009) / 1009.0f; }
__host__ __device__ static inline float start_v(int i) { return -0.8f + 1.6f * ((i * 53) % 997) / 997.0f; }

__global__ void release(float *x, float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] = start_x(i); v[i] = start_v(i); }
}

__global__ void __launch_bounds__(128) swing(float *xs, float *vs, int n, int steps, float dt)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
#ifdef GOOD
    float x[EACH], v[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) { x[e] = xs[t + e * stride]; v[e] = vs[t + e * stride]; }
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            v[e] += dt * (x[e] - x[e] * x[e] * x[e]);
            x[e] += dt * v[e];
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) { xs[t + e * stride] = x[e]; vs[t + e * stride] = v[e]; }
#else
    for (int i = t; i < n; i += stride) {
        float x = xs[i], v = vs[i];
        for (int s = 0; s < steps; s++) {
            v += dt * (x - x * x * x);
            x += dt * v;
        }
        xs[i] = x;
        vs[i] = v;
    }
#endif
}

static double energy(double x, double v) { return 0.5 * v * v - 0.5 * x * x + 0.25 * x * x * x * x; }

int main(int argc, char **argv)
{
    int launches = argc > 1 ? atoi(argv[1]) : 1;
    const int blocks = 132, n = blocks * 128 * EACH, steps = 1000000;
    const float dt = 0.01f;
    float *x, *v;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&v, n * sizeof(float)));
    release<<<n / 128, 128>>>(x, v, n);
    CK(cudaGetLastError());
    for (int l = 0; l < launches; l++) swing<<<blocks, 128>>>(x, v, n, steps, dt);
    CK(cudaGetLastError());
    std::vector<float> hx(n), hv(n);
    CK(cudaMemcpy(hx.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hv.data(), v, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double d = fabs(energy(hx[i], hv[i]) - energy(start_x(i), start_v(i)));
        worst = std::max(worst, d);
        if (!(d < 0.15)) ok = false;
    }
    printf("worst energy error %.5f\n", worst);
    CK(cudaFree(x)); CK(cudaFree(v));
    return report(ok);
}
