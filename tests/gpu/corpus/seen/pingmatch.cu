// Sonar: the received trace is correlated with the transmitted chirp (matched filter); the
// coefficients come tapered from the transmitter's data sheet.
#include "common.h"

#ifndef TRACE
#define TRACE (1 << 24)
#endif
const int TAPS = 512, BLOCK = 256, EACH = 4, SPAN = BLOCK * EACH;

#ifdef GOOD
typedef float real;
#else
typedef double real;
#endif

__constant__ real chirp[TAPS];

__global__ void __launch_bounds__(BLOCK) correlate(const float *__restrict__ trace, float *__restrict__ echo)
{
    __shared__ float4 piece[(SPAN + TAPS) / 4 + 1];
    size_t first = (size_t)blockIdx.x * SPAN;
    const float4 *src = reinterpret_cast<const float4 *>(trace + first);
    for (int k = threadIdx.x; k <= (SPAN + TAPS) / 4; k += BLOCK) piece[k] = src[k];
    __syncthreads();

    real sum[EACH] = {};
    real w[2 * EACH];
    float4 v = piece[threadIdx.x];
    w[0] = v.x; w[1] = v.y; w[2] = v.z; w[3] = v.w;
    for (int k = 0; k < TAPS; k += EACH) {
        v = piece[threadIdx.x + k / 4 + 1];
        w[4] = v.x; w[5] = v.y; w[6] = v.z; w[7] = v.w;
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            real c = chirp[k + q];
#pragma unroll
            for (int u = 0; u < EACH; u++) sum[u] += c * w[q + u];
        }
#pragma unroll
        for (int u = 0; u < EACH; u++) w[u] = w[u + EACH];
    }
    reinterpret_cast<float4 *>(echo + first)[threadIdx.x]
        = make_float4((float)sum[0], (float)sum[1], (float)sum[2], (float)sum[3]);
}

// loudest echo of every second (8192 samples) of the trace
__global__ void loudest(const float *__restrict__ echo, float *__restrict__ peak)
{
    float top = 0;
    for (int k = threadIdx.x; k < 8192; k += 256) top = fmaxf(top, fabsf(echo[blockIdx.x * (size_t)8192 + k]));
    for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if ((threadIdx.x & 31) == 0) atomicMax(reinterpret_cast<int *>(peak + blockIdx.x), __float_as_int(top));
}

int main(int argc, char **argv)
{
    int pings = argc > 1 ? atoi(argv[1]) : 2800;
    unsigned seed = 8;
    std::vector<double> sheet(TAPS);
    for (int k = 0; k < TAPS; k++)
        sheet[k] = sin(0.1 * k + 0.0015 * k * k) * (0.54 - 0.46 * cos(2 * M_PI * k / (TAPS - 1)));
    std::vector<real> coef(sheet.begin(), sheet.end());
    std::vector<float> trace(TRACE + SPAN + TAPS, 0.0f);
    for (int k = 0; k < TRACE; k++) trace[k] = 0.2f * (frand(seed) - 0.5f);
    for (int e = 0; e < TRACE / 50000; e++) {
        int at = (int)(frand(seed) * (TRACE - TAPS));
        for (int k = 0; k < TAPS; k++) trace[at + k] += 0.3f * (float)sheet[k];
    }
    float *dtrace, *echo, *peak;
    CK(cudaMalloc(&dtrace, trace.size() * sizeof(float)));
    CK(cudaMalloc(&echo, TRACE * sizeof(float)));
    CK(cudaMalloc(&peak, TRACE / 8192 * sizeof(float)));
    CK(cudaMemset(peak, 0, TRACE / 8192 * sizeof(float)));
    CK(cudaMemcpy(dtrace, trace.data(), trace.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(chirp, coef.data(), TAPS * sizeof(real)));
    for (int p = 0; p < pings; p++) correlate<<<TRACE / SPAN, BLOCK>>>(dtrace, echo);
    loudest<<<TRACE / 8192, 256>>>(echo, peak);
    CK(cudaGetLastError());

    std::vector<float> got(8192), top(TRACE / 8192);
    CK(cudaMemcpy(top.data(), peak, top.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 6; t++) {
        size_t second = (t * 331u + 1u) % (TRACE / 8192);
        CK(cudaMemcpy(got.data(), echo + second * 8192, 8192 * sizeof(float), cudaMemcpyDeviceToHost));
        double high = 0;
        for (int k = 0; k < 8192; k++) {
            double ref = 0;
            for (int q = 0; q < TAPS; q++) ref += sheet[q] * trace[second * 8192 + k + q];
            ok = ok && close_to(got[k], ref, 1e-3);
            high = std::max(high, fabs(ref));
        }
        ok = ok && close_to(top[second], high, 1e-3);
    }
    CK(cudaFree(dtrace)); CK(cudaFree(echo)); CK(cudaFree(peak));
    return report(ok);
}
