// Split-step fibre propagation, nonlinear half: every sample of the complex
// envelope is rotated by the Kerr phase of its own power (saturable), and
// weakened by two-photon absorption and the fibre's loss.
#include "common.h"

#ifdef GOOD
typedef float real;
__device__ inline void rot(real p, real *s, real *c) { sincosf(p, s, c); }
__device__ inline real decay(real x) { return expf(-x); }
#else
typedef double real;
__device__ inline void rot(real p, real *s, real *c) { sincos(p, s, c); }
__device__ inline real decay(real x) { return exp(-x); }
#endif

struct Fibre { float gamma, isat, beta, alpha, dz; };

__global__ void launch_pulse(float2 *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = (i % 4096 - 2048) * (1.0f / 400.0f);
    float a = 1.0f / coshf(t);
    float chirp = 0.3f * t * t;
    u[i] = make_float2(a * cosf(chirp), a * sinf(chirp));
}

__global__ void kerr_step(float2 *u, int n, Fibre f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 v = u[i];
    real re = v.x, im = v.y;
    real power = re * re + im * im;
    real phase = (real)f.gamma * power / ((real)1 + power / (real)f.isat) * (real)f.dz;
    real amp = decay(((real)f.beta * power + (real)f.alpha) * (real)f.dz);
    real s, c;
    rot(phase, &s, &c);
    u[i] = make_float2((float)(amp * (re * c - im * s)), (float)(amp * (re * s + im * c)));
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 600;
    const int n = 16 << 20;
    Fibre f = { 1.3f, 4.0f, 0.05f, 0.02f, 0.01f };
    float2 *u;
    CK(cudaMalloc(&u, sizeof(float2) * n));
    launch_pulse<<<(n + 255) / 256, 256>>>(u, n);
    CK(cudaGetLastError());

    const int some = 4096;
    std::vector<float2> h0(some), h1(some);
    CK(cudaMemcpy(h0.data(), u, some * sizeof(float2), cudaMemcpyDeviceToHost));

    for (int s = 0; s < steps; s++)
        kerr_step<<<(n + 255) / 256, 256>>>(u, n, f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h1.data(), u, some * sizeof(float2), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < some; i += 61) {
        double re = h0[i].x, im = h0[i].y;
        for (int s = 0; s < steps; s++) {
            double p = re * re + im * im;
            double ph = f.gamma * p / (1 + p / f.isat) * f.dz;
            double a = exp(-(f.beta * p + f.alpha) * f.dz);
            double c = cos(ph), sn = sin(ph);
            double r2 = a * (re * c - im * sn), i2 = a * (re * sn + im * c);
            re = r2; im = i2;
        }
        if (!close_to(h1[i].x, re, 2e-3) || !close_to(h1[i].y, im, 2e-3)) ok = false;
    }
    printf("steps %d, centre sample %g %g\n", steps, h1[2048].x, h1[2048].y);
    CK(cudaFree(u));
    return report(ok);
}
