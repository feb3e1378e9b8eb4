// Rational resampler 160:147 of a long running stream (48 kHz -> 44.1 kHz and
// the like): polyphase filter of six taps, outputs numbered from the beginning
// of the stream.
#include "common.h"

#define TAPS 6
#define UP 147
#define DOWN 160
#define MAXUP 256

__global__ void tone(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.6f * __sinf((i % 6283) * 0.013f) + 0.2f * ((i * 37) % 101) * 0.01f;
}

// y[m] = sum_k h[k][phase] * x[base + k],  m * down = base * up + phase
__global__ void polyphase(const float *__restrict__ x, const float *__restrict__ h, float *__restrict__ y,
                          int nout, long long first, long long base0, long long up, long long down)
{
    __shared__ float sh[TAPS * MAXUP];
    for (int k = threadIdx.x; k < TAPS * MAXUP; k += blockDim.x) sh[k] = h[k];
    __syncthreads();
    for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < nout; o += gridDim.x * blockDim.x) {
#ifdef GOOD
        // first * down == base0 * up: the block of outputs starts at phase 0
        unsigned pos = (unsigned)o * DOWN;
        int base = (int)(pos / UP);
        int phase = (int)(pos % UP);
#else
        long long pos = (first + o) * down;
        int base = (int)(pos / up - base0);
        int phase = (int)(pos % up);
#endif
        float acc = 0.0f;
#pragma unroll
        for (int k = 0; k < TAPS; k++) acc += sh[k * MAXUP + phase] * x[base + k];
        y[o] = acc;
    }
}

int main(int argc, char **argv)
{
    int blocks_of_stream = argc > 1 ? atoi(argv[1]) : 1000;
    const int nout = UP * 81920;                       // 12 million
    const int nin = DOWN * 81920 + TAPS;
    std::vector<float> h(TAPS * MAXUP, 0.0f);
    for (int p = 0; p < UP; p++)
        for (int k = 0; k < TAPS; k++) {
            double t = k - 2 - (double)p / UP;
            double w = 0.5 + 0.5 * cos(M_PI * t / 3.2);
            h[k * MAXUP + p] = (float)(w * (fabs(t) < 1e-9 ? 1.0 : sin(M_PI * t) / (M_PI * t)));
        }
    float *x, *dh, *y;
    CK(cudaMalloc(&x, nin * sizeof(float)));
    CK(cudaMalloc(&dh, h.size() * sizeof(float)));
    CK(cudaMalloc(&y, nout * sizeof(float)));
    CK(cudaMemcpy(dh, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
    tone<<<(nin + 255) / 256, 256>>>(x, nin);

    for (int b = 0; b < blocks_of_stream; b++) {
        long long first = (long long)(b + 300) * nout;         // the stream has run for a day
        long long base0 = first / UP * DOWN;
        polyphase<<<132 * 8, 256>>>(x, dh, y, nout, first, base0, UP, DOWN);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hx(nin), hy(nout);
    CK(cudaMemcpy(hx.data(), x, nin * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hy.data(), y, nout * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int o = 0; o < nout; o += 4001) {
        long long pos = (long long)o * DOWN;
        int base = (int)(pos / UP), phase = (int)(pos % UP);
        double acc = 0;
        for (int k = 0; k < TAPS; k++) acc += (double)h[k * MAXUP + phase] * hx[base + k];
        if (!close_to(hy[o], acc, 1e-4)) ok = false;
    }
    CK(cudaFree(x)); CK(cudaFree(dh)); CK(cudaFree(y));
    return report(ok);
}
