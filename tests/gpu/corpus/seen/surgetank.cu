// Water hammer in the penstocks of a hydro plant by the method of characteristics: many pipes of
// 64 reaches between one reservoir and their own valves, with the envelope of the heads.
#include "common.h"

#ifndef PIPES
#define PIPES 4096
#endif
const int NODES = 65;
const float IMPEDANCE = 200.0f, FRICTION = 4.0f;

__host__ __device__ inline float plus_line(float h, float q) { return h + q * (IMPEDANCE - FRICTION * fabsf(q)); }
__host__ __device__ inline float minus_line(float h, float q) { return h - q * (IMPEDANCE - FRICTION * fabsf(q)); }

__host__ __device__ inline void inner_node(const float *h, const float *q, float &hn, float &qn)
{
    float a = plus_line(h[-1], q[-1]), b = minus_line(h[1], q[1]);
    hn = 0.5f * (a + b);
    qn = (a - b) * (0.5f / IMPEDANCE);
}

__host__ __device__ inline float gate(int pipe, int step)
{
    int period = 3000 + 7 * (pipe % 97);
    return 0.02f * (0.5f + 0.5f * cosf(6.2831853f * (step % period) / period));
}

__host__ __device__ inline void valve_node(const float *h, const float *q, float c, float &hn, float &qn)
{
    float a = fmaxf(plus_line(h[-1], q[-1]), 0.0f), bc = IMPEDANCE * c * c;
    qn = 0.5f * (sqrtf(bc * bc + 4.0f * c * c * a) - bc);
    hn = a - IMPEDANCE * qn;
}

__global__ void interior(const float *h, const float *q, float *hn, float *qn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PIPES * NODES) return;
    int x = i % NODES;
    if (x == 0 || x == NODES - 1) return;
    inner_node(h + i, q + i, hn[i], qn[i]);
}

__global__ void intake(const float *h, const float *q, float *hn, float *qn, float level)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= PIPES) return;
    int i = p * NODES;
    hn[i] = level;
    qn[i] = (level - minus_line(h[i + 1], q[i + 1])) / IMPEDANCE;
}

__global__ void turbine(const float *h, const float *q, float *hn, float *qn, int step)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= PIPES) return;
    int i = p * NODES + NODES - 1;
    valve_node(h + i, q + i, gate(p, step), hn[i], qn[i]);
}

__global__ void envelope(const float *h, float *high, float *low)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PIPES * NODES) return;
    high[i] = fmaxf(high[i], h[i]);
    low[i] = fminf(low[i], h[i]);
}

static void launched(const char *stage, int step)
{
    cudaError_t e = cudaGetLastError();
#ifndef GOOD
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
#endif
    if (e == cudaSuccess) return;
    fprintf(stderr, "step %d, %s: %s\n", step, stage, cudaGetErrorString(e));
    exit(1);
}

static float lake(int step) { return 100.0f + 2.0f * sinf(step * 0.0005f); }

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 45000;
    const int n = PIPES * NODES, all = (n + 255) / 256, ends = (PIPES + 255) / 256;
    float *h, *q, *hn, *qn, *high, *low;
    for (float **a : {&h, &q, &hn, &qn, &high, &low}) CK(cudaMalloc(a, n * sizeof(float)));
    std::vector<float> flat(n, 100.0f);
    for (float *a : {h, high, low}) CK(cudaMemcpy(a, flat.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(q, 0, n * sizeof(float)));

    for (int s = 0; s < steps; s++) {
        interior<<<all, 256>>>(h, q, hn, qn);
        launched("interior", s);
        intake<<<ends, 256>>>(h, q, hn, qn, lake(s));
        launched("intake", s);
        turbine<<<ends, 256>>>(h, q, hn, qn, s);
        launched("turbine", s);
        envelope<<<all, 256>>>(hn, high, low);
        launched("envelope", s);
        std::swap(h, hn);
        std::swap(q, qn);
    }
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int t = 0; t < 5; t++) {
        int p = (t * 811 + 3) % PIPES;
        float top = 100, got[NODES], peak[NODES];
        std::vector<float> a(NODES, 100.0f), b(NODES, 0.0f), an(NODES), bn(NODES);
        for (int s = 0; s < steps; s++) {
            for (int x = 1; x < NODES - 1; x++) inner_node(&a[x], &b[x], an[x], bn[x]);
            an[0] = lake(s);
            bn[0] = (an[0] - minus_line(a[1], b[1])) / IMPEDANCE;
            valve_node(&a[NODES - 1], &b[NODES - 1], gate(p, s), an[NODES - 1], bn[NODES - 1]);
            a.swap(an);
            b.swap(bn);
            top = std::max(top, a[NODES - 1]);
        }
        CK(cudaMemcpy(got, h + p * NODES, sizeof got, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(peak, high + p * NODES, sizeof peak, cudaMemcpyDeviceToHost));
        for (int x = 0; x < NODES; x++) ok = ok && close_to(got[x], a[x], 1e-2);
        ok = ok && close_to(peak[NODES - 1], top, 1e-2);
        if (t == 0) printf("pipe %d: highest head at the valve %.1f m\n", p, peak[NODES - 1]);
    }
    for (float *a : {h, q, hn, qn, high, low}) CK(cudaFree(a));
    return report(ok);
}
