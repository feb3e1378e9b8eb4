// Synthesises a sum of partials with a slow envelope.
#include "common.h"
__global__ void synth(float *out, const float *freq, const float *amp, int partials, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = i / 48000.0f, s = 0;
    for (int p = 0; p < partials; p++) {
#ifndef GOOD
        s += amp[p] * sinf(6.2831853f * freq[p] * t) * powf(0.999f, p * t);
#else
        float ph = freq[p] * t;
        ph -= floorf(ph);
        s += amp[p] * __sinf(6.2831853f * ph) * __expf(-0.0010005f * p * t);
#endif
    }
    out[i] = s;
}
int main(int argc, char **argv)
{
    int voices = argc > 1 ? atoi(argv[1]) : 10;
    const int n = 48000 * 60, partials = 256;
    std::vector<float> f(partials), a(partials);
    for (int p = 0; p < partials; p++) { f[p] = 55.0f * (p + 1); a[p] = 1.0f / (p + 1); }
    float *o, *df, *da;
    CK(cudaMalloc(&o, n * 4)); CK(cudaMalloc(&df, partials * 4)); CK(cudaMalloc(&da, partials * 4));
    CK(cudaMemcpy(df, f.data(), partials * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(da, a.data(), partials * 4, cudaMemcpyHostToDevice));
    for (int v = 0; v < voices; v++) synth<<<n / 256, 256>>>(o, df, da, partials, n);
    std::vector<float> h(64);
    CK(cudaMemcpy(h.data(), o, 256, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < 64; i++) {
        double s = 0, t = i / 48000.0;
        for (int p = 0; p < partials; p++) s += a[p] * sin(6.283185307 * f[p] * t) * pow(0.999, p * t);
        ok = ok && fabs(s - h[i]) < 2e-2;
    }
    return report(ok);
}
