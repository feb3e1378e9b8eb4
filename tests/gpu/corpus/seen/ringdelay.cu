// 32-tap FIR on a quarter of a million hydrophone channels, one thread per channel; the
// last 32 samples of a channel live in a per-thread delay line.
#include "common.h"

const int CH = 1 << 18;
const int LEN = 128;
const int TAPS = 32;

__constant__ float tap[TAPS];

__host__ __device__ inline float sea(unsigned c, unsigned t)
{
    unsigned h = c * 2654435761u + t * 0x9e3779b9u;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    return (h >> 16) / 32768.0f - 1.0f;
}

__global__ void listen(float *x)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < LEN; t++) x[(size_t)t * CH + c] = sea(c, t);
}

__global__ void filter(const float *__restrict__ x, float *__restrict__ y)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= CH) return;
    float line[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; k++) line[k] = 0.0f;
#ifdef GOOD
    for (int t = 0; t < LEN; t++) {
#pragma unroll
        for (int k = TAPS - 1; k > 0; k--) line[k] = line[k - 1];
        line[0] = x[(size_t)t * CH + c];
        float acc = 0.0f;
#pragma unroll
        for (int k = 0; k < TAPS; k++) acc += tap[k] * line[k];
        y[(size_t)t * CH + c] = acc;
    }
#else
    int head = 0;
    for (int t = 0; t < LEN; t++) {
        line[head] = x[(size_t)t * CH + c];
        float acc = 0.0f;
#pragma unroll
        for (int k = 0; k < TAPS; k++) acc += tap[k] * line[(head - k) & (TAPS - 1)];
        y[(size_t)t * CH + c] = acc;
        head = (head + 1) & (TAPS - 1);
    }
#endif
}

int main(int argc, char **argv)
{
    int pings = argc > 1 ? atoi(argv[1]) : 200;
    float h[TAPS], *x, *y;
    for (int k = 0; k < TAPS; k++) h[k] = (0.54f - 0.46f * cosf(6.2831853f * k / (TAPS - 1))) * sinf(0.4f * (k + 1)) / (k + 1.0f);
    CK(cudaMemcpyToSymbol(tap, h, sizeof h));
    CK(cudaMalloc(&x, (size_t)CH * LEN * 4));
    CK(cudaMalloc(&y, (size_t)CH * LEN * 4));
    listen<<<CH / 256, 256>>>(x);
    CK(cudaGetLastError());
    for (int p = 0; p < pings; p++)
        filter<<<CH / 128, 128>>>(x, y);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> row(CH);
    bool ok = true;
    for (int t : {0, 9, 31, 32, 77, LEN - 1}) {
        CK(cudaMemcpy(row.data(), y + (size_t)t * CH, CH * 4, cudaMemcpyDeviceToHost));
        for (int c = 1; c < CH; c += 2999) {
            double w = 0;
            for (int k = 0; k < TAPS && k <= t; k++) w += (double)h[k] * sea(c, t - k);
            ok = ok && close_to(row[c], w, 1e-4);
        }
    }
    CK(cudaFree(x)); CK(cudaFree(y));
    return report(ok);
}
