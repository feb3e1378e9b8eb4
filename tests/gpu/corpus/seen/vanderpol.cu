// Parameter sweep of the forced Van der Pol oscillator: a million combinations of damping and drive amplitude,
// each integrated with the classical Runge-Kutta method; the final state of each is kept.
#include "common.h"

#define SWEEP 1000000
#define H 0.01f

__host__ __device__ static inline void rhs(float t2, float x, float v, float mu, float amp, float &dx, float &dv)
{
    dx = v;
    dv = mu * (1.0f - x * x) * v - x + amp * t2;
}

__host__ __device__ static inline void rk4(float &x, float &v, float mu, float amp, float drive)
{
    float k1x, k1v, k2x, k2v, k3x, k3v, k4x, k4v;
    rhs(drive, x, v, mu, amp, k1x, k1v);
    rhs(drive, x + 0.5f * H * k1x, v + 0.5f * H * k1v, mu, amp, k2x, k2v);
    rhs(drive, x + 0.5f * H * k2x, v + 0.5f * H * k2v, mu, amp, k3x, k3v);
    rhs(drive, x + H * k3x, v + H * k3v, mu, amp, k4x, k4v);
    x += H / 6.0f * (k1x + 2.0f * k2x + 2.0f * k3x + k4x);
    v += H / 6.0f * (k1v + 2.0f * k2v + 2.0f * k3v + k4v);
}

__global__ void begin_state(float2 *state, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) state[i] = make_float2(1.0f + 0.5f * (i % 7), 0.0f);
}

__global__ void integrate(float2 *state, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float mu = 0.5f + 0.001f * (i / 1000), amp = 0.0005f * (i % 1000);
    float2 s = state[i];
    float drive = 0.3f;
    for (int k = 0; k < steps; k++) {
        rk4(s.x, s.y, mu, amp, drive);
        drive = drive * 0.998f + 0.0005f;
    }
    state[i] = s;
}

int main(int argc, char **argv)
{
    int launches = argc > 1 ? atoi(argv[1]) : 1;
    const int n = argc > 2 ? atoi(argv[2]) : SWEEP;
    const int steps = 15000;
#ifdef GOOD
    const int threads = 256;
#else
    const int threads = 10;
#endif
    float2 *state;
    CK(cudaMalloc(&state, n * sizeof(float2)));
    begin_state<<<(n + 255) / 256, 256>>>(state, n);
    CK(cudaGetLastError());
    for (int l = 0; l < launches; l++) {
        integrate<<<(n + threads - 1) / threads, threads>>>(state, n, steps);
        CK(cudaGetLastError());
    }
    CK(cudaDeviceSynchronize());
    std::vector<float2> h(n);
    CK(cudaMemcpy(h.data(), state, n * sizeof(float2), cudaMemcpyDeviceToHost));

    // the limit cycle is attracting: only its envelope and a short run are compared
    bool ok = true;
    for (int i = 0; i < n; i++)
        if (!(fabsf(h[i].x) < 4.0f && fabsf(h[i].y) < 20.0f)) ok = false;
    begin_state<<<(n + 255) / 256, 256>>>(state, n);
    integrate<<<(n + threads - 1) / threads, threads>>>(state, n, 50);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), state, n * sizeof(float2), cudaMemcpyDeviceToHost));
    for (int i = 11; i < n; i += n / 13) {
        float x = 1.0f + 0.5f * (i % 7), v = 0, drive = 0.3f;
        for (int k = 0; k < 50; k++) {
            rk4(x, v, 0.5f + 0.001f * (i / 1000), 0.0005f * (i % 1000), drive);
            drive = drive * 0.998f + 0.0005f;
        }
        if (!close_to(h[i].x, x, 2e-3) || !close_to(h[i].y, v, 5e-3)) { printf("%d: %g %g / %g %g\n", i, h[i].x, h[i].y, x, v); ok = false; }
    }
    CK(cudaFree(state));
    return report(ok);
}
