// Steam tables for a power plant model: specific volume of steam as a polynomial in reduced pressure and reduced
// temperature, of degree 11 in each, for every cell of the boiler and for many loads.
// usage: steamtable cells loads
#include "common.h"

#define DEGREE 12            // terms in each direction

__constant__ float coef[DEGREE][DEGREE];

// one step of Horner's rule
__device__ inline float horner(float sum, float x, float c)
{
#ifdef GOOD
    return fmaf(sum, x, c);
#else
    return __fadd_rn(__fmul_rn(sum, x), c);      // rounded twice, as in the printed tables
#endif
}

__host__ __device__ inline float state(unsigned cell, unsigned which)
{
    unsigned h = cell * 2654435761u + which * 374761393u;
    h = (h ^ (h >> 16)) * 2246822519u;
    return (float)(h >> 8) * (1.0f / 16777216.0f);
}

__global__ void fill(float *pressure, float *warmth, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pressure[i] = 0.2f + 0.7f * state(i, 0);
    warmth[i] = 0.3f + 0.6f * state(i, 1);
}

__global__ void specific_volume(const float *__restrict__ pressure, const float *__restrict__ warmth,
                                float *__restrict__ volume, int n, float load)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float p = pressure[i] * load, t = warmth[i], v = 0.0f;
    #pragma unroll
    for (int a = DEGREE - 1; a >= 0; --a) {
        float row = coef[a][DEGREE - 1];
        #pragma unroll
        for (int b = DEGREE - 2; b >= 0; --b) row = horner(row, t, coef[a][b]);
        v = horner(v, p, row);
    }
    volume[i] = v;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 16777216;
    int loads = argc > 2 ? atoi(argv[2]) : 3500;
    std::vector<float> c(DEGREE * DEGREE);
    unsigned s = 647;
    for (int i = 0; i < DEGREE * DEGREE; ++i) c[i] = (frand(s) - 0.3f) / (float)(1 + i / DEGREE);
    CK(cudaMemcpyToSymbol(coef, c.data(), c.size() * sizeof(float)));
    float *pressure, *warmth, *volume;
    CK(cudaMalloc(&pressure, n * sizeof(float)));
    CK(cudaMalloc(&warmth, n * sizeof(float)));
    CK(cudaMalloc(&volume, n * sizeof(float)));
    fill<<<(n + 255) / 256, 256>>>(pressure, warmth, n);
    float load = 1.0f;
    for (int k = 0; k < loads; ++k) {
        load = 0.7f + 0.3f * (float)(k + 1) / (float)loads;
        specific_volume<<<(n + 255) / 256, 256>>>(pressure, warmth, volume, n, load);
    }
    CK(cudaGetLastError());
    std::vector<float> v(n);
    CK(cudaMemcpy(v.data(), volume, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int k = 0; k < 200; ++k) {
        int i = (int)((long long)k * (n - 1) / 199);
        double p = (0.2f + 0.7f * state(i, 0)) * load, t = 0.3f + 0.6f * state(i, 1), want = 0;
        for (int a = DEGREE - 1; a >= 0; --a) {
            double row = 0;
            for (int b = DEGREE - 1; b >= 0; --b) row = row * t + c[a * DEGREE + b];
            want = want * p + row;
        }
        ok = ok && close_to(v[i], want, 1e-4);
    }
    printf("cell 0 at full load: %.5f\n", v[0]);
    CK(cudaFree(pressure)); CK(cudaFree(warmth)); CK(cudaFree(volume));
    return report(ok);
}
