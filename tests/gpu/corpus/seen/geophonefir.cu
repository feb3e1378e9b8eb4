// Band-pass filter of seismic shot gathers: the gathers lie in pinned host memory, each is brought
// to the card, filtered trace by trace, scaled to its own envelope and brought back.
#include "common.h"

#ifndef TRACES
#define TRACES 4096
#endif
const int SAMPLES = 2048, TAPS = 193, GATHERS = 4, TPB = 256;
#ifdef GOOD
const int LINES = 4;
#else
const int LINES = 1;
#endif

__constant__ float wavelet[TAPS];

__global__ void __launch_bounds__(TPB) bandpass(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float piece[TPB + TAPS - 1];
    const float *trace = in + (size_t)blockIdx.y * SAMPLES;
    int start = blockIdx.x * TPB - TAPS / 2;
    for (int k = threadIdx.x; k < TPB + TAPS - 1; k += TPB) {
        int s = start + k;
        piece[k] = s >= 0 && s < SAMPLES ? trace[s] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll 16
    for (int k = 0; k < TAPS; k++) sum += wavelet[k] * piece[threadIdx.x + k];
    out[(size_t)blockIdx.y * SAMPLES + blockIdx.x * TPB + threadIdx.x] = sum;
}

// divides a trace by its root mean square
__global__ void __launch_bounds__(TPB) level(float *out)
{
    __shared__ float part[TPB / 32];
    float *trace = out + (size_t)blockIdx.x * SAMPLES, v[SAMPLES / TPB], q = 0;
#pragma unroll
    for (int k = 0; k < SAMPLES / TPB; k++) {
        v[k] = trace[k * TPB + threadIdx.x];
        q += v[k] * v[k];
    }
    for (int d = 16; d > 0; d >>= 1) q += __shfl_xor_sync(0xffffffffu, q, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = q;
    __syncthreads();
    q = 0;
    for (int w = 0; w < TPB / 32; w++) q += part[w];
    float scale = rsqrtf(q / SAMPLES + 1e-12f);
#pragma unroll
    for (int k = 0; k < SAMPLES / TPB; k++) trace[k * TPB + threadIdx.x] = v[k] * scale;
}

int main(int argc, char **argv)
{
    int shots = argc > 1 ? atoi(argv[1]) : 1000;
    const size_t n = (size_t)TRACES * SAMPLES, bytes = n * sizeof(float);
    float taps[TAPS];
    for (int k = 0; k < TAPS; k++) {
        float t = (k - TAPS / 2) * 0.02f, a = t * t * 30.0f;
        taps[k] = (1.0f - 2.0f * a) * expf(-a);
    }
    CK(cudaMemcpyToSymbol(wavelet, taps, sizeof taps));
    float *raw[GATHERS], *done[GATHERS];
    unsigned seed = 60;
    for (int g = 0; g < GATHERS; g++) {
        CK(cudaMallocHost(&raw[g], bytes));
        CK(cudaMallocHost(&done[g], bytes));
        for (size_t k = 0; k < n; k++) raw[g][k] = (float)(int)(lcg(seed) >> 8) * (1.0f / 8388608.0f) - 1.0f;
    }
    cudaStream_t line[LINES];
    float *in[LINES], *out[LINES];
    for (int l = 0; l < LINES; l++) {
        CK(cudaStreamCreate(&line[l]));
        CK(cudaMalloc(&in[l], bytes));
        CK(cudaMalloc(&out[l], bytes));
    }
    for (int s = 0; s < shots; s++) {
        int l = s % LINES, g = s % GATHERS;
        CK(cudaMemcpyAsync(in[l], raw[g], bytes, cudaMemcpyHostToDevice, line[l]));
        bandpass<<<dim3(SAMPLES / TPB, TRACES), TPB, 0, line[l]>>>(in[l], out[l]);
        level<<<TRACES, TPB, 0, line[l]>>>(out[l]);
        CK(cudaMemcpyAsync(done[g], out[l], bytes, cudaMemcpyDeviceToHost, line[l]));
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int t = 0; t < 24; t++) {
        int g = t % std::min(GATHERS, shots), tr = (int)(frand(seed) * TRACES);
        const float *x = raw[g] + (size_t)tr * SAMPLES, *y = done[g] + (size_t)tr * SAMPLES;
        std::vector<double> f(SAMPLES);
        double q = 0;
        for (int s = 0; s < SAMPLES; s++) {
            double sum = 0;
            for (int k = 0; k < TAPS; k++) {
                int at = s + k - TAPS / 2;
                if (at >= 0 && at < SAMPLES) sum += (double)taps[k] * x[at];
            }
            f[s] = sum;
            q += sum * sum;
        }
        double scale = 1.0 / sqrt(q / SAMPLES);
        for (int s = 0; s < SAMPLES; s++) ok = ok && close_to(y[s], f[s] * scale, 1e-3);
    }
    for (int l = 0; l < LINES; l++) {
        CK(cudaFree(in[l])); CK(cudaFree(out[l]));
        CK(cudaStreamDestroy(line[l]));
    }
    for (int g = 0; g < GATHERS; g++) { CK(cudaFreeHost(raw[g])); CK(cudaFreeHost(done[g])); }
    return report(ok);
}
