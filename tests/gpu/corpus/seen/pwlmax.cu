// Convex value function as the maximum of affine pieces (dynamic programming
// of a storage plant): every state asks all pieces.
#include "common.h"

#define PIECES 1024

#ifdef GOOD
__constant__ float c_slope[PIECES], c_cut[PIECES];
#endif

__global__ void states(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = -2.0f + 4.0f * (i % 100003) / 100003.0f;
}

#ifdef GOOD
__global__ void value(const float *x, float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = x[i], best = -1e30f;
#pragma unroll 8
    for (int k = 0; k < PIECES; k++) best = fmaxf(best, c_slope[k] * s + c_cut[k]);
    v[i] = best;
}
#else
__global__ void value(const float *x, float *v, int n, const float *slope, const float *cut)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = x[i], best = -1e30f;
#pragma unroll 8
    for (int k = 0; k < PIECES; k++) best = fmaxf(best, slope[k] * s + cut[k]);
    v[i] = best;
}
#endif

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int n = 320 << 20;
    std::vector<float> a(PIECES), b(PIECES);
    for (int k = 0; k < PIECES; k++) {          // tangents of x^2
        double t = -2.0 + 4.0 * k / (PIECES - 1);
        a[k] = (float)(2 * t);
        b[k] = (float)(-t * t);
    }
    float *x, *v;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&v, n * sizeof(float)));
    states<<<(n + 255) / 256, 256>>>(x, n);
#ifdef GOOD
    CK(cudaMemcpyToSymbol(c_slope, a.data(), PIECES * sizeof(float)));
    CK(cudaMemcpyToSymbol(c_cut, b.data(), PIECES * sizeof(float)));
    for (int r = 0; r < reps; r++)
        value<<<(n + 255) / 256, 256>>>(x, v, n);
#else
    float *slope, *cut;
    CK(cudaMalloc(&slope, PIECES * sizeof(float)));
    CK(cudaMalloc(&cut, PIECES * sizeof(float)));
    CK(cudaMemcpy(slope, a.data(), PIECES * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(cut, b.data(), PIECES * sizeof(float), cudaMemcpyHostToDevice));
    for (int r = 0; r < reps; r++)
        value<<<(n + 255) / 256, 256>>>(x, v, n, slope, cut);
#endif
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    const int some = 5000;
    std::vector<float> hx(some), hv(some);
    CK(cudaMemcpy(hx.data(), x + n - some, some * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hv.data(), v + n - some, some * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < some; i++) {
        double best = -1e30;
        for (int k = 0; k < PIECES; k++) best = std::max(best, (double)a[k] * hx[i] + b[k]);
        if (!close_to(hv[i], best, 1e-4)) ok = false;
    }
    printf("v(%g) = %g\n", hx[0], hv[0]);
    CK(cudaFree(x));
    CK(cudaFree(v));
    return report(ok);
}
