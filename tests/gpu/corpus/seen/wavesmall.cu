// 1-D wave equation on a string, many small time steps.
#include "common.h"
__global__ void wave(const float *prev, const float *cur, float *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        next[i] = 2.0f * cur[i] - prev[i] + 0.25f * (cur[i + 1] - 2.0f * cur[i] + cur[i - 1]);
}
__global__ void damp(float *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] *= 0.99999f;
}
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 60000;
    const int n = 20000;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = sinf(3.14159265f * i / (n - 1));
    float *u[3];
    for (auto &p : u) { CK(cudaMalloc(&p, n * 4)); CK(cudaMemset(p, 0, n * 4)); }
    CK(cudaMemcpy(u[0], h.data(), n * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(u[1], h.data(), n * 4, cudaMemcpyHostToDevice));
    int blocks = (n + 255) / 256;
#ifndef GOOD
    for (int s = 0; s < steps; s++) {
        wave<<<blocks, 256>>>(u[0], u[1], u[2], n);
        damp<<<blocks, 256>>>(u[2], n);
        float *t = u[0]; u[0] = u[1]; u[1] = u[2]; u[2] = t;
    }
#else
    // Thirty steps (a multiple of three: the pointers are back) in one graph.
    cudaStream_t st;
    CK(cudaStreamCreate(&st));
    cudaGraph_t g; cudaGraphExec_t x;
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    for (int s = 0; s < 30; s++) {
        wave<<<blocks, 256, 0, st>>>(u[0], u[1], u[2], n);
        damp<<<blocks, 256, 0, st>>>(u[2], n);
        float *t = u[0]; u[0] = u[1]; u[1] = u[2]; u[2] = t;
    }
    CK(cudaStreamEndCapture(st, &g));
    CK(cudaGraphInstantiate(&x, g, 0));
    for (int s = 0; s < steps; s += 30) CK(cudaGraphLaunch(x, st));
    CK(cudaStreamSynchronize(st));
#endif
    CK(cudaMemcpy(h.data(), u[1], n * 4, cudaMemcpyDeviceToHost));
    printf("middle %.4f\n", h[n / 2]);
    return report(std::isfinite(h[n / 2]));
}
