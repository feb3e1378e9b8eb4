// Heart rate from a wrist sensor: for each window of the light signal the squared difference with itself is summed
// for every lag; the lag with the smallest sum is the time between two beats.
// usage: pulselag windows rounds
#include "common.h"

#define SPAN 2048            // samples compared
#define LAGS 512
#define SAMPLES (SPAN + LAGS)

__host__ __device__ inline float light(unsigned window, unsigned t)
{
    unsigned h = (window * SAMPLES + t) * 2654435761u;
    h = (h ^ (h >> 16)) * 2246822519u;
    float noise = (float)(h >> 8) * (1.0f / 16777216.0f);
    float period = (float)(200 + window % 150);
    float u = (float)t / period;
    u -= floorf(u);
    return 4.0f * u * (1.0f - u) + 0.1f * noise;
}

__global__ void measure(float *signal)
{
    for (int t = threadIdx.x; t < SAMPLES; t += blockDim.x)
        signal[(size_t)blockIdx.x * SAMPLES + t] = light(blockIdx.x, t);
}

#ifdef GOOD
#define THREADS (LAGS / 4)

// four neighbouring lags per thread; four samples at a time against a window of eight in registers
__global__ void lag_sums(const float *__restrict__ signal, float *__restrict__ sums, float gain)
{
    __shared__ float4 x[SAMPLES / 4];
    const float4 *in = (const float4 *)(signal + (size_t)blockIdx.x * SAMPLES);
    for (int i = threadIdx.x; i < SAMPLES / 4; i += THREADS) x[i] = in[i];
    __syncthreads();
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    float4 lo = x[threadIdx.x];
    #pragma unroll 4
    for (int i = 0; i < SPAN / 4; ++i) {
        float4 a = x[i], hi = x[i + threadIdx.x + 1];
        float w[8] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w}, v[4] = {a.x, a.y, a.z, a.w};
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            float d0 = v[k] - w[k], d1 = v[k] - w[k + 1], d2 = v[k] - w[k + 2], d3 = v[k] - w[k + 3];
            s0 += d0 * d0;
            s1 += d1 * d1;
            s2 += d2 * d2;
            s3 += d3 * d3;
        }
        lo = hi;
    }
    ((float4 *)sums)[(size_t)blockIdx.x * THREADS + threadIdx.x] = make_float4(gain * s0, gain * s1, gain * s2, gain * s3);
}
#else
#define THREADS LAGS

__global__ void lag_sums(const float *__restrict__ signal, float *__restrict__ sums, float gain)
{
    const float *x = signal + (size_t)blockIdx.x * SAMPLES;
    const int lag = threadIdx.x;
    float s = 0.0f;
    #pragma unroll 16
    for (int t = 0; t < SPAN; ++t) {
        float d = x[t] - x[t + lag];
        s += d * d;
    }
    sums[(size_t)blockIdx.x * LAGS + lag] = gain * s;
}
#endif

int main(int argc, char **argv)
{
    int windows = argc > 1 ? atoi(argv[1]) : 4224;
    int rounds = argc > 2 ? atoi(argv[2]) : 500;
    float *signal, *sums;
    CK(cudaMalloc(&signal, (size_t)windows * SAMPLES * sizeof(float)));
    CK(cudaMalloc(&sums, (size_t)windows * LAGS * sizeof(float)));
    measure<<<windows, 256>>>(signal);
    float gain = 1.0f;
    for (int r = 0; r < rounds; ++r) {
        gain = 1.0f + 0.001f * (float)r;
        lag_sums<<<windows, THREADS>>>(signal, sums, gain);
    }
    CK(cudaGetLastError());
    std::vector<float> g((size_t)windows * LAGS);
    CK(cudaMemcpy(g.data(), sums, g.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    int beat = 0;
    for (int k = 0; k < 6; ++k) {
        int w = (int)((long long)k * (windows - 1) / 5);
        std::vector<double> x(SAMPLES);
        for (int t = 0; t < SAMPLES; ++t) x[t] = light(w, t);
        int best = 150;
        for (int lag = 0; lag < LAGS; ++lag) {
            double s = 0;
            for (int t = 0; t < SPAN; ++t) s += (x[t] - x[t + lag]) * (x[t] - x[t + lag]);
            ok = ok && fabs(g[(size_t)w * LAGS + lag] - gain * s) <= 1e-3 * gain * s + 2e-2;
            if (lag >= 150 && lag < 390 && g[(size_t)w * LAGS + lag] < g[(size_t)w * LAGS + best]) best = lag;
        }
        ok = ok && abs(best - (200 + w % 150)) <= 4;
        if (k == 0) beat = best;
    }
    printf("first window: %d samples from beat to beat\n", beat);
    CK(cudaFree(signal)); CK(cudaFree(sums));
    return report(ok);
}
