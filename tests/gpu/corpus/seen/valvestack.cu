// Guitar amplifier: three valve stages, each with a measured transfer curve (polynomial of degree 23).
// usage: valvestack kilosamples takes
#include "common.h"

#define STAGES 3
#define ORDER 24
__constant__ float curve[STAGES][ORDER];

__global__ void strum(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.5f * sinf(0.031f * (i % 4410)) + 0.4f * sinf(0.047f * (i % 3150));
}

__global__ void amplify(const float *__restrict__ in, float *__restrict__ out, int n, float drive)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = drive * in[i];
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        x = fminf(fmaxf(x, -1.0f), 1.0f);
        float y = curve[s][ORDER - 1];
#ifdef GOOD
#pragma unroll
#else
#pragma unroll 1                 // keeps the code small
#endif
        for (int k = ORDER - 2; k >= 0; k--) y = y * x + curve[s][k];
        x = y;
    }
    out[i] = x;
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 16384) * 1024;
    int takes = argc > 2 ? atoi(argv[2]) : 5000;
    float c[STAGES][ORDER];
    unsigned seed = 19;
    for (int s = 0; s < STAGES; s++) {
        c[s][0] = 0.0f;
        c[s][1] = 0.9f;
        for (int k = 2; k < ORDER; k++) c[s][k] = 0.6f * (frand(seed) - 0.5f) / k;
    }
    CK(cudaMemcpyToSymbol(curve, c, sizeof c));
    float *in, *out;
    CK(cudaMalloc(&in, n * sizeof(float)));
    CK(cudaMalloc(&out, n * sizeof(float)));
    strum<<<(n + 255) / 256, 256>>>(in, n);
    float drive = 1.0f;
    for (int t = 0; t < takes; t++) {
        drive = 0.9f + 0.01f * (t % 40);
        amplify<<<(n + 255) / 256, 256>>>(in, out, n, drive);
    }
    CK(cudaGetLastError());
    std::vector<float> x(n), y(n);
    CK(cudaMemcpy(x.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(y.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < n; i += 1009) {
        double v = drive * x[i];
        for (int s = 0; s < STAGES; s++) {
            v = std::min(std::max(v, -1.0), 1.0);
            double p = 0;
            for (int k = ORDER - 1; k >= 0; k--) p = p * v + c[s][k];
            v = p;
        }
        ok = ok && fabs(v - y[i]) < 1e-4;
    }
    printf("sample 1000: %.5f becomes %.5f\n", x[1000], y[1000]);
    CK(cudaFree(in)); CK(cudaFree(out));
    return report(ok);
}
