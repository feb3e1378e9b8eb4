// Calibration of a detector: a polynomial of the fifth degree for each raw value.
//   polyeval [times] [log2 of the values]
#include "common.h"

const int DEGREE = 5;
__constant__ float coefficient[DEGREE + 1];

#ifndef GOOD
#define UNROLL _Pragma("unroll 1")
#else
#define UNROLL _Pragma("unroll")
#endif

__global__ void raw(float *x, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = (float)(i % 4096) * (1.0f / 4096);
}

__global__ void calibrate(const float4 *__restrict__ x, float4 *__restrict__ y, size_t n4)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = x[i], r = make_float4(0, 0, 0, 0);
        UNROLL
        for (int d = DEGREE; d >= 0; d--) {
            float c = coefficient[d];
            r.x = r.x * v.x + c;
            r.y = r.y * v.y + c;
            r.z = r.z * v.z + c;
            r.w = r.w * v.w + c;
        }
        y[i] = r;
    }
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 60;
    size_t n = (size_t)1 << (argc > 2 ? atoi(argv[2]) : 28);
    const float c[DEGREE + 1] = {0.1f, 1.2f, -0.3f, 0.05f, 0.02f, -0.01f};
    float *x, *y;
    CK(cudaMemcpyToSymbol(coefficient, c, sizeof c));
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&y, n * sizeof(float)));
    raw<<<1056, 256>>>(x, n);
    for (int t = 0; t < times; t++) calibrate<<<1056, 256>>>((float4 *)x, (float4 *)y, n / 4);
    CK(cudaGetLastError());
    std::vector<float> h(4096);
    CK(cudaMemcpy(h.data(), y + n - 4096, 4096 * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < 4096; i++) {
        double v = i / 4096.0, r = 0;
        for (int d = DEGREE; d >= 0; d--) r = r * v + c[d];
        ok = ok && fabs(r - h[i]) < 1e-5;
    }
    printf("last value %.5f\n", h[4095]);
    return report(ok);
}
