// Hodgkin-Huxley population: a million neurons with constant input currents, forward Euler, 10 ms a launch.
#include "common.h"

#ifdef GOOD
#define R(x) x##f
#define EXP expf
#else
#define R(x) x
#define EXP exp
#endif

__host__ __device__ static inline float current(int i) { return 4.0f + 0.01f * (i % 1200); }

__global__ void rest(float *v, float *m, float *h, float *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { v[i] = -65.0f; m[i] = 0.0529f; h[i] = 0.5961f; k[i] = 0.3177f; }
}

__device__ inline float linoid(float x, float s)
{
    float t = x / s;
    if (fabsf(t) < 1e-3f) return s;
    return x / (R(1.0) - EXP(-R(1.0) * t));
}

__global__ void membrane(float *vs, float *ms, float *hs, float *ks, int n, int substeps, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = vs[i], m = ms[i], h = hs[i], k = ks[i], inj = current(i);
    for (int s = 0; s < substeps; s++) {
        float am = R(0.1) * linoid(v + R(40.0), 10.0f);
        float bm = R(4.0) * EXP(-(v + R(65.0)) / R(18.0));
        float ah = R(0.07) * EXP(-(v + R(65.0)) / R(20.0));
        float bh = R(1.0) / (R(1.0) + EXP(-(v + R(35.0)) / R(10.0)));
        float ak = R(0.01) * linoid(v + R(55.0), 10.0f);
        float bk = R(0.125) * EXP(-(v + R(65.0)) / R(80.0));
        float ina = R(120.0) * m * m * m * h * (v - R(50.0));
        float ik = R(36.0) * k * k * k * k * (v + R(77.0));
        float il = R(0.3) * (v + R(54.4));
        v += dt * (inj - ina - ik - il);
        m += dt * (am * (R(1.0) - m) - bm * m);
        h += dt * (ah * (R(1.0) - h) - bh * h);
        k += dt * (ak * (R(1.0) - k) - bk * k);
    }
    vs[i] = v; ms[i] = m; hs[i] = h; ks[i] = k;
}

int main(int argc, char **argv)
{
    int launches = argc > 1 ? atoi(argv[1]) : 1;
    const int n = 1 << 20, sub = 2000;
    const float dt = 0.005f;
    float *v, *m, *h, *k;
    CK(cudaMalloc(&v, n * sizeof(float)));
    CK(cudaMalloc(&m, n * sizeof(float)));
    CK(cudaMalloc(&h, n * sizeof(float)));
    CK(cudaMalloc(&k, n * sizeof(float)));
    rest<<<n / 256, 256>>>(v, m, h, k, n);
    CK(cudaGetLastError());
    for (int l = 0; l < launches; l++) membrane<<<n / 256, 256>>>(v, m, h, k, n, sub, dt);
    CK(cudaGetLastError());
    std::vector<float> hv(n);
    CK(cudaMemcpy(hv.data(), v, n * sizeof(float), cudaMemcpyDeviceToHost));

    int off = 0;
    for (int i = 17; i < n; i += n / 16) {
        double V = -65.0, M = 0.0529, H = 0.5961, K = 0.3177, d = dt;
        for (int s = 0; s < launches * sub; s++) {
            double x = V + 40, y = V + 55;
            double am = fabs(x) < 1e-2 ? 1.0 : 0.1 * x / (1 - exp(-x / 10)), bm = 4 * exp(-(V + 65) / 18);
            double ah = 0.07 * exp(-(V + 65) / 20), bh = 1 / (1 + exp(-(V + 35) / 10));
            double ak = fabs(y) < 1e-2 ? 0.1 : 0.01 * y / (1 - exp(-y / 10)), bk = 0.125 * exp(-(V + 65) / 80);
            double I = current(i) - 120 * M * M * M * H * (V - 50) - 36 * K * K * K * K * (V + 77) - 0.3 * (V + 54.4);
            V += d * I;
            M += d * (am * (1 - M) - bm * M);
            H += d * (ah * (1 - H) - bh * H);
            K += d * (ak * (1 - K) - bk * K);
        }
        if (fabs(V - hv[i]) > 1.0) { printf("neuron %d: %f, cpu %f\n", i, hv[i], V); off++; }
    }
    CK(cudaFree(v)); CK(cudaFree(m)); CK(cudaFree(h)); CK(cudaFree(k));
    return report(off <= 2);     // one at the very threshold may fire late
}
