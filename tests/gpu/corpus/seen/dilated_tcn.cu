// Dilated temporal convolution (TCN layer): 16 channels in and out, 3 taps, a stack of dilations,
// ReLU. A thread computes 8 output channels at one time step.
#include "common.h"

const int C = 16, K = 3, OUT = 8, T = 1 << 19, BATCH = 2;
__constant__ float wconst[C * C * K];

__global__ void fill(float *p, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = (unsigned)i * 2654435761u + 3u;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13;
    p[i] = (x >> 8) * (1.0f / 16777216.0f);
}

// x, y: [batch][channel][time]; w: [group of 8 outputs][channel in][tap][output in group]
__global__ void __launch_bounds__(256) tcn(const float *__restrict__ x, const float *__restrict__ wglobal,
                                           float *__restrict__ y, int dilation)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float *xb = x + (size_t)blockIdx.z * C * T;
#ifdef GOOD
    const float *w = wconst + blockIdx.y * (C * K * OUT);
#else
    const float *w = wglobal + blockIdx.y * (C * K * OUT);
#endif
    float acc[OUT];
#pragma unroll
    for (int o = 0; o < OUT; o++) acc[o] = 0;
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
        for (int k = 0; k < K; k++) {
            int tt = t - (K - 1 - k) * dilation;
            float v = tt >= 0 ? xb[(size_t)c * T + tt] : 0.0f;
#pragma unroll
            for (int o = 0; o < OUT; o++) acc[o] += v * w[(c * K + k) * OUT + o];
        }
#pragma unroll
    for (int o = 0; o < OUT; o++)
        y[((size_t)blockIdx.z * C + blockIdx.y * OUT + o) * T + t] = fmaxf(acc[o], 0.0f);
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 700;
    size_t n = (size_t)BATCH * C * T;
    float *a, *b, *w;
    CK(cudaMalloc(&a, n * 4));
    CK(cudaMalloc(&b, n * 4));
    CK(cudaMalloc(&w, C * C * K * 4));
    fill<<<(unsigned)((n + 255) / 256), 256>>>(a, n);
    CK(cudaGetLastError());
    std::vector<float> hw(C * C * K);
    unsigned seed = 5;
    for (float &v : hw) v = (frand(seed) - 0.48f) * 0.15f;
    CK(cudaMemcpy(w, hw.data(), hw.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(wconst, hw.data(), hw.size() * 4));

    dim3 grid(T / 256, C / OUT, BATCH);
    for (int l = 0; l < layers; l++)
        tcn<<<grid, 256>>>(a, w, b, 1 << (l % 6));
    tcn<<<grid, 256>>>(a, w, b, 4);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> ha((size_t)C * T), hb((size_t)C * T);
    CK(cudaMemcpy(ha.data(), a + (size_t)C * T, ha.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hb.data(), b + (size_t)C * T, hb.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t : {0, 3, 5, 9, 255, 256, 99999, T - 1})
        for (int o = 0; o < C; o++) {
            double s = 0;
            for (int c = 0; c < C; c++)
                for (int k = 0; k < K; k++) {
                    int tt = t - (K - 1 - k) * 4;
                    if (tt >= 0) s += (double)ha[(size_t)c * T + tt] * hw[((o / OUT * C + c) * K + k) * OUT + o % OUT];
                }
            ok = ok && close_to(hb[(size_t)o * T + t], s > 0 ? s : 0, 1e-3);
        }
    CK(cudaFree(a)); CK(cudaFree(b)); CK(cudaFree(w));
    return report(ok);
}
