// Transfer-line calibration curve given as a Chebyshev series of 4096 terms, evaluated by
// Clenshaw's recurrence at a dense set of points.
#include "common.h"

const int TERMS = 4096;
const int NX = 128 << 20;
#ifdef GOOD
const int BLOCK = 256;
#else
const int BLOCK = 128;
#endif

__constant__ float coef[TERMS];

__host__ __device__ inline float point(int i) { return -0.9f + 1.8f * ((i >> 3) * (8.0f / NX)) + (i & 7) * 1e-3f; }

__global__ void __launch_bounds__(BLOCK) clenshaw(float *__restrict__ y)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= NX) return;
    float x = point(i), x2 = 2.0f * x;
    float b1 = 0.0f, b2 = 0.0f;
#pragma unroll 16
    for (int k = TERMS - 1; k > 0; k--) {
        float b = coef[k] - b2 + x2 * b1;
        b2 = b1;
        b1 = b;
    }
    y[i] = coef[0] - b2 + x * b1;
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 1;
    std::vector<float> c(TERMS);
    unsigned s = 31;
    for (int k = 0; k < TERMS; k++) c[k] = (frand(s) - 0.5f) * 4.0f / (1.0f + 0.05f * k * k);
    CK(cudaMemcpyToSymbol(coef, c.data(), TERMS * sizeof(float)));
    float *y;
    CK(cudaMalloc(&y, (size_t)NX * sizeof(float)));
    for (int r = 0; r < runs; r++)
        clenshaw<<<NX / BLOCK, BLOCK>>>(y);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 777; i < NX; i += NX / 60) {
        double x = point(i), want = 0, th = acos(x);
        for (int k = 0; k < TERMS; k++) want += c[k] * cos(k * th);
        float got;
        CK(cudaMemcpy(&got, y + i, 4, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, want, 1e-2);
    }
    CK(cudaFree(y));
    return report(ok);
}
