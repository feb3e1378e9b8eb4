// Eight tenants of a scoring service, each with its own stream: a small model
// is iterated per request batch, and a heartbeat kernel stamps the round.
#include "common.h"

#define TENANTS 8
#define BLOCKS 12

__global__ void __launch_bounds__(256) infer(float *state, int n, int rounds, float w)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = state[i];
#pragma unroll 4
        for (int k = 0; k < rounds; k++) x = w * x * (1.0f - x) + 0.01f;
        state[i] = x;
    }
}

__global__ void heartbeat(unsigned *clk, unsigned round)
{
    if (threadIdx.x == 0) *clk = round;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 800;
    const int n = BLOCKS * 256 * 4, inner = 1500;
    cudaStream_t st[TENANTS];
    float *state[TENANTS];
    unsigned *clk;
    CK(cudaMalloc(&clk, sizeof(unsigned)));
    std::vector<float> h0(n);
    unsigned s = 5;
    for (auto &x : h0) x = 0.1f + 0.8f * frand(s);
    for (int t = 0; t < TENANTS; t++) {
#ifdef GOOD
        CK(cudaStreamCreateWithFlags(&st[t], cudaStreamNonBlocking));
#else
        CK(cudaStreamCreate(&st[t]));
#endif
        CK(cudaMalloc(&state[t], n * sizeof(float)));
        CK(cudaMemcpy(state[t], h0.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    }
    CK(cudaDeviceSynchronize());

    for (int r = 0; r < rounds; r++)
        for (int t = 0; t < TENANTS; t++) {
            infer<<<BLOCKS, 256, 0, st[t]>>>(state[t], n, inner, 2.0f + 0.1f * t);
            heartbeat<<<1, 32>>>(clk, r * TENANTS + t + 1);
        }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> h(n);
    unsigned last = 0;
    CK(cudaMemcpy(&last, clk, sizeof last, cudaMemcpyDeviceToHost));
    if (last != (unsigned)(rounds * TENANTS)) ok = false;
    for (int t = 0; t < TENANTS; t++) {
        CK(cudaMemcpy(h.data(), state[t], n * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i += n / 4) {            // converges to the fixed point
            double x = h0[i], w = 2.0f + 0.1f * t;
            for (int k = 0; k < std::min(rounds * inner, 20000); k++) x = w * x * (1 - x) + 0.01f;
            if (rounds * inner >= 20000 && !close_to(h[i], x, 1e-3)) ok = false;
        }
        CK(cudaFree(state[t]));
        CK(cudaStreamDestroy(st[t]));
    }
    printf("%d rounds of %d tenants\n", rounds, TENANTS);
    CK(cudaFree(clk));
    return report(ok);
}
