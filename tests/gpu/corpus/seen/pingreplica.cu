// Active sonar: the complex samples of every ping are correlated with a replica of the transmitted sweep; the echo
// level of each range bin is the squared size of the correlation.
// usage: pingreplica pings repetitions
#include "common.h"

#define TAPS 256
#define EACH 4               // range bins of a thread
#define THREADS 256
#define SPAN (EACH * THREADS)
#define BINS 65536
#define SAMPLES (BINS + TAPS)

// The first processor of this sonar had no fused multiply-add, and results were compared with its.
#ifdef GOOD
#define MAC(a, b, c) fmaf(a, b, c)
#else
#define MAC(a, b, c) __fadd_rn(__fmul_rn(a, b), c)
#endif

__constant__ float2 replica[TAPS];

__host__ __device__ inline float2 sampleOf(unsigned ping, unsigned t)
{
    unsigned h = (ping * 131071u + t) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return make_float2((float)(h & 0xffff) * (1.0f / 65536.0f) - 0.5f, (float)(h >> 16) * (1.0f / 65536.0f) - 0.5f);
}

__global__ void listen(float2 *sample)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < SAMPLES) sample[(size_t)blockIdx.y * SAMPLES + t] = sampleOf(blockIdx.y, t);
}

__global__ void __launch_bounds__(THREADS) correlate(const float2 *__restrict__ sample, float4 *__restrict__ level, float gain)
{
    __shared__ float2 x[(SPAN + TAPS) / EACH * (EACH + 1)];              // a gap after every four samples
    const float2 *in = sample + (size_t)blockIdx.y * SAMPLES + blockIdx.x * SPAN;
    for (int i = threadIdx.x; i < SPAN + TAPS; i += THREADS) x[i + i / EACH] = in[i];
    __syncthreads();
    float re[EACH] = {}, im[EACH] = {};
    float2 now[EACH], next[EACH];
    const float2 *mine = x + threadIdx.x * (EACH + 1);
    #pragma unroll
    for (int j = 0; j < EACH; ++j) now[j] = mine[j];
    #pragma unroll 2
    for (int k = 0; k < TAPS; k += EACH) {
        mine += EACH + 1;
        #pragma unroll
        for (int j = 0; j < EACH; ++j) next[j] = mine[j];
        #pragma unroll
        for (int q = 0; q < EACH; ++q) {
            const float2 c = replica[k + q];
            #pragma unroll
            for (int j = 0; j < EACH; ++j) {
                float2 v = q + j < EACH ? now[(q + j) % EACH] : next[(q + j) % EACH];
                re[j] = MAC(c.x, v.x, re[j]);
                im[j] = MAC(c.x, v.y, im[j]);
                re[j] = MAC(c.y, v.y, re[j]);
                im[j] = MAC(-c.y, v.x, im[j]);
            }
        }
        #pragma unroll
        for (int j = 0; j < EACH; ++j) now[j] = next[j];
    }
    float l[EACH];
    #pragma unroll
    for (int j = 0; j < EACH; ++j) l[j] = gain * (re[j] * re[j] + im[j] * im[j]);
    level[(size_t)blockIdx.y * (BINS / EACH) + blockIdx.x * THREADS + threadIdx.x] = make_float4(l[0], l[1], l[2], l[3]);
}

int main(int argc, char **argv)
{
    const int pings = argc > 1 ? atoi(argv[1]) : 66, reps = argc > 2 ? atoi(argv[2]) : 2200;
    std::vector<float2> sweep(TAPS);
    for (int k = 0; k < TAPS; ++k) {
        double phase = 0.02 * k + 0.004 * k * k;
        sweep[k] = make_float2((float)cos(phase), (float)sin(phase));
    }
    CK(cudaMemcpyToSymbol(replica, sweep.data(), TAPS * sizeof(float2)));
    float2 *sample; float4 *level;
    CK(cudaMalloc(&sample, (size_t)pings * SAMPLES * sizeof(float2)));
    CK(cudaMalloc(&level, (size_t)pings * BINS * sizeof(float)));
    listen<<<dim3((SAMPLES + 255) / 256, pings), 256>>>(sample);
    float gain = 1.0f;
    for (int r = 0; r < reps; ++r) {
        gain = 1.0f + 0.1f * (float)(r % 5);
        correlate<<<dim3(BINS / SPAN, pings), THREADS>>>(sample, level, gain);
    }
    CK(cudaGetLastError());
    std::vector<float> got((size_t)pings * BINS);
    CK(cudaMemcpy(got.data(), level, got.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 2000; ++q) {
        int p = q % pings, b = q == 1999 ? BINS - 1 : (int)((long long)q * 7919 % BINS);
        double re = 0, im = 0;
        for (int k = 0; k < TAPS; ++k) {
            float2 v = sampleOf(p, b + k), c = sweep[k];
            re += (double)c.x * v.x + (double)c.y * v.y;
            im += (double)c.x * v.y - (double)c.y * v.x;
        }
        double want = gain * (re * re + im * im);
        ok = ok && fabs(got[(size_t)p * BINS + b] - want) < 1e-3 * (want + 1.0);
    }
    printf("level of the first bin %.4f\n", got[0]);
    CK(cudaFree(sample)); CK(cudaFree(level));
    return report(ok);
}
