// Radio: acquisition of a beacon with a spreading code of 9216 chips. For each of 165 Doppler shifts the received
// samples, already mixed down by that shift, are correlated with the code at all 9216 phases; the strongest phase wins.
//   chipsearch [captures]
#include "common.h"

#define CHIPS 9216
#define SHIFTS 165
#define OWN 9                        // neighbouring code phases of a thread
#ifdef GOOD
#define THREADS 256                  // four blocks for a Doppler shift
#else
#define THREADS 1024                 // a block for a Doppler shift
#endif
#define PIECE 576                    // samples in shared memory at a time
#define RANGE (THREADS * OWN + PIECE)
#define TRUE_SHIFT 97
#define TRUE_PHASE 5432

__host__ __device__ inline unsigned whirl(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline float chip_of(unsigned n) { return whirl(n % CHIPS + 17u) & 1u ? 1.0f : -1.0f; }
__host__ __device__ inline float2 sample_of(unsigned n, unsigned shift)
{
    unsigned h = whirl(n * 256u + shift), g = whirl(h + 3u);
    float loud = shift == TRUE_SHIFT ? 0.4f : 0.0f, c = loud * chip_of(n + TRUE_PHASE);
    return make_float2((float)(h >> 8) * (2.0f / 16777216.0f) - 1.0f + 0.6f * c, (float)(g >> 8) * (2.0f / 16777216.0f) - 1.0f - 0.8f * c);
}

__global__ void receive(float2 *samples, float *code)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < SHIFTS * CHIPS) samples[i] = sample_of(i % CHIPS, i / CHIPS);
    if (i < 2 * CHIPS + OWN) code[i] = chip_of(i);
}

__global__ void __launch_bounds__(THREADS) acquire(const float2 *__restrict__ samples, const float *__restrict__ code, float *__restrict__ power)
{
    __shared__ float2 s[PIECE];
    __shared__ float chips[RANGE];
    const unsigned shift = blockIdx.x, phase0 = blockIdx.y * THREADS * OWN;
    float re[OWN] = {}, im[OWN] = {};
    for (unsigned n0 = 0; n0 < CHIPS; n0 += PIECE) {
        for (unsigned n = threadIdx.x; n < PIECE; n += THREADS) s[n] = samples[(size_t)shift * CHIPS + n0 + n];
        for (unsigned n = threadIdx.x; n < RANGE; n += THREADS) chips[n] = code[n0 + phase0 + n];
        __syncthreads();
        const float *mine = chips + threadIdx.x * OWN;
        float window[OWN];
        #pragma unroll
        for (int k = 0; k < OWN - 1; ++k) window[k] = mine[k];
        #pragma unroll 1
        for (unsigned n = 0; n < PIECE; n += OWN) {
            #pragma unroll
            for (int u = 0; u < OWN; ++u) {
                window[(u + OWN - 1) % OWN] = mine[n + u + OWN - 1];
                float2 z = s[n + u];
                #pragma unroll
                for (int k = 0; k < OWN; ++k) {
                    re[k] = fmaf(z.x, window[(u + k) % OWN], re[k]);
                    im[k] = fmaf(z.y, window[(u + k) % OWN], im[k]);
                }
            }
        }
        __syncthreads();
    }
    float *out = power + (size_t)shift * CHIPS + phase0 + threadIdx.x * OWN;
    #pragma unroll
    for (int k = 0; k < OWN; ++k) out[k] = re[k] * re[k] + im[k] * im[k];
}

int main(int argc, char **argv)
{
    int captures = argc > 1 ? atoi(argv[1]) : 600;
    float2 *samples;
    float *code, *power;
    const unsigned n = SHIFTS * CHIPS;
    CK(cudaMalloc(&samples, n * sizeof(float2)));
    CK(cudaMalloc(&code, (2 * CHIPS + OWN) * sizeof(float)));
    CK(cudaMalloc(&power, n * sizeof(float)));
    receive<<<(n + 255) / 256, 256>>>(samples, code);
    for (int c = 0; c < captures; ++c) acquire<<<dim3(SHIFTS, CHIPS / (THREADS * OWN)), THREADS>>>(samples, code, power);
    CK(cudaGetLastError());
    std::vector<float> p(n);
    CK(cudaMemcpy(p.data(), power, n * sizeof(float), cudaMemcpyDeviceToHost));
    unsigned best = 0;
    for (unsigned i = 0; i < n; ++i) if (p[i] > p[best]) best = i;
    bool ok = best == TRUE_SHIFT * CHIPS + TRUE_PHASE;
    for (unsigned t = 0; t < 60; ++t) {
        unsigned i = t * (n / 60) + t, shift = i / CHIPS, phase = i % CHIPS;
        double re = 0, im = 0;
        for (unsigned k = 0; k < CHIPS; ++k) {
            float2 z = sample_of(k, shift);
            re += z.x * chip_of(k + phase);
            im += z.y * chip_of(k + phase);
        }
        double want = re * re + im * im;
        ok = ok && fabs(p[i] - want) <= 0.01 * want + 5.0;
    }
    printf("shift %u, phase %u\n", best / CHIPS, best % CHIPS);
    CK(cudaFree(samples));
    CK(cudaFree(code));
    CK(cudaFree(power));
    return report(ok);
}
