// Phased-array receiver: form 512 beams from 256 antennas with one complex
// matrix product per block of samples, then integrate the power of each beam
// over windows of 64 samples.
#include "common.h"
#include <cublas_v2.h>
#include <cuComplex.h>

#define CB(call) do { cublasStatus_t s_ = (call); if (s_ != CUBLAS_STATUS_SUCCESS) { \
    fprintf(stderr, "%s:%d: cublas %d\n", __FILE__, __LINE__, (int)s_); exit(1); } } while (0)

constexpr int BEAMS = 512, ANT = 256, TIME = 32768, WIN = 64;

__host__ __device__ inline float noise(unsigned x)
{
    x *= 0x9E3779B1u; x ^= x >> 15; x *= 0x85EBCA77u; x ^= x >> 13; x *= 0xC2B2AE3Du; x ^= x >> 16;
    return (x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__global__ void sample_adc(float2 *x)      // ANT x TIME, antenna fastest
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ANT * TIME) x[i] = make_float2(noise(2u * i), noise(2u * i + 1u));
}

// beam fastest in c, so a warp reads 32 beams of one sample
__global__ void beam_power(const float2 *c, float *pw)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    int w = blockIdx.y;
    const float2 *p = c + (size_t)w * WIN * BEAMS + b;
    float s = 0;
#pragma unroll 8
    for (int t = 0; t < WIN; t++) {
        float2 v = p[(size_t)t * BEAMS];
        s += v.x * v.x + v.y * v.y;
    }
    pw[(size_t)w * BEAMS + b] += s;
}

int main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 200;
    std::vector<float2> w((size_t)BEAMS * ANT);
    for (int a = 0; a < ANT; a++)
        for (int b = 0; b < BEAMS; b++) {
            double ph = 3.14159265358979 * a * sin((b - 256) * (1.2 / 256));
            w[(size_t)a * BEAMS + b] = make_float2((float)cos(ph), (float)sin(ph));
        }
    float2 *dw, *dx, *dc;
    float *dp;
    size_t np = (size_t)(TIME / WIN) * BEAMS;
    CK(cudaMalloc(&dw, w.size() * sizeof(float2)));
    CK(cudaMalloc(&dx, (size_t)ANT * TIME * sizeof(float2)));
    CK(cudaMalloc(&dc, (size_t)BEAMS * TIME * sizeof(float2)));
    CK(cudaMalloc(&dp, np * sizeof(float)));
    CK(cudaMemset(dp, 0, np * sizeof(float)));
    CK(cudaMemcpy(dw, w.data(), w.size() * sizeof(float2), cudaMemcpyHostToDevice));
    sample_adc<<<(ANT * TIME + 255) / 256, 256>>>(dx);
    CK(cudaGetLastError());

    cublasHandle_t h;
    CB(cublasCreate(&h));
#ifdef GOOD
    CB(cublasSetMathMode(h, CUBLAS_TF32_TENSOR_OP_MATH));
#endif
    const cuComplex one = make_cuComplex(1.0f / ANT, 0), zero = make_cuComplex(0, 0);
    dim3 pg(BEAMS / 128, TIME / WIN);
    for (int i = 0; i < blocks; i++) {
        CB(cublasCgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, BEAMS, TIME, ANT, &one, dw, BEAMS, dx, ANT, &zero, dc, BEAMS));
        beam_power<<<pg, 128>>>(dc, dp);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> p(np);
    CK(cudaMemcpy(p.data(), dp, np * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int q = 0; q < 6; q++) {
        int b = (q * 89 + 3) % BEAMS, win = (q * 71 + 10) % (TIME / WIN);
        double s = 0;
        for (int t = 0; t < WIN; t++) {
            double re = 0, im = 0;
            for (int a = 0; a < ANT; a++) {
                unsigned i = (unsigned)((win * WIN + t) * ANT + a);
                double xr = noise(2u * i), xi = noise(2u * i + 1u);
                float2 c = w[(size_t)a * BEAMS + b];
                re += c.x * xr - c.y * xi;
                im += c.x * xi + c.y * xr;
            }
            s += (re * re + im * im) / ((double)ANT * ANT);
        }
        double got = p[(size_t)win * BEAMS + b] / blocks;
        ok = ok && fabs(got - s) < 1e-2 * s;
    }
    CB(cublasDestroy(h));
    CK(cudaFree(dw)); CK(cudaFree(dx)); CK(cudaFree(dc)); CK(cudaFree(dp));
    return report(ok);
}
