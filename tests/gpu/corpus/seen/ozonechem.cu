// Box model of upper-air chemistry: sixteen species in every cell, classic
// Runge-Kutta, the rates scaled by the cell's sunlight.
#include "common.h"

#define NS 16

// ring of exchange reactions with a few cross terms
__host__ __device__ __forceinline__ void rates(const float *y, float sun, float *f)
{
#pragma unroll
    for (int s = 0; s < NS; s++) {
        float a = y[(s + 1) % NS], b = y[(s + 5) % NS], c = y[(s + NS - 1) % NS];
        float k1 = 0.3f + 0.02f * s, k2 = 0.5f - 0.01f * s;
        f[s] = k1 * a - (0.8f + sun) * y[s] + k2 * c * b + sun * 0.1f * b;
    }
}

__host__ __device__ __forceinline__ void rk4(float *y, float sun, float h)
{
    float k[NS], t[NS], sum[NS];
    rates(y, sun, k);
#pragma unroll
    for (int s = 0; s < NS; s++) { sum[s] = k[s]; t[s] = y[s] + 0.5f * h * k[s]; }
    rates(t, sun, k);
#pragma unroll
    for (int s = 0; s < NS; s++) { sum[s] += 2 * k[s]; t[s] = y[s] + 0.5f * h * k[s]; }
    rates(t, sun, k);
#pragma unroll
    for (int s = 0; s < NS; s++) { sum[s] += 2 * k[s]; t[s] = y[s] + h * k[s]; }
    rates(t, sun, k);
#pragma unroll
    for (int s = 0; s < NS; s++) y[s] += h / 6.0f * (sum[s] + k[s]);
}

__global__ void fill(float *conc, float *sun, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int s = 0; s < NS; s++) conc[(size_t)s * n + i] = 0.1f + 0.8f * ((i * 31 + s * 977) % 1000) * 0.001f;
    sun[i] = (i % 512) * (1.0f / 512.0f);
}

__global__ void chemistry(float *conc, const float *__restrict__ sun, int n, int substeps, float h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float y[NS];
#pragma unroll
    for (int s = 0; s < NS; s++) y[s] = conc[(size_t)s * n + i];
    float light = sun[i];
#pragma unroll 1
    for (int k = 0; k < substeps; k++) rk4(y, light, h);
#pragma unroll
    for (int s = 0; s < NS; s++) conc[(size_t)s * n + i] = y[s];
}

int main(int argc, char **argv)
{
    int substeps = argc > 1 ? atoi(argv[1]) : 2000;
    const int n = 1 << 20;
    const float h = 0.002f;
    float *conc, *sun;
    CK(cudaMalloc(&conc, (size_t)NS * n * sizeof(float)));
    CK(cudaMalloc(&sun, n * sizeof(float)));
    fill<<<(n + 255) / 256, 256>>>(conc, sun, n);
    CK(cudaGetLastError());

    const int some = 64;
    std::vector<float> y0(NS * some), y1(NS * some), light(some);
    for (int s = 0; s < NS; s++)
        CK(cudaMemcpy(&y0[s * some], conc + (size_t)s * n, some * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(light.data(), sun, some * sizeof(float), cudaMemcpyDeviceToHost));

    chemistry<<<n / 128, 128>>>(conc, sun, n, substeps, h);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    for (int s = 0; s < NS; s++)
        CK(cudaMemcpy(&y1[s * some], conc + (size_t)s * n, some * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < some; i += 5) {
        float y[NS];
        for (int s = 0; s < NS; s++) y[s] = y0[s * some + i];
        for (int t = 0; t < substeps; t++) rk4(y, light[i], h);
        for (int s = 0; s < NS; s++)
            if (!close_to(y1[s * some + i], y[s], 1e-3)) ok = false;
    }
    printf("species 0 in cell 0: %g\n", y1[0]);
    CK(cudaFree(conc));
    CK(cudaFree(sun));
    return report(ok);
}
