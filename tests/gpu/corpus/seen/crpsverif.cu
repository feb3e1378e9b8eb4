// Verification of an ensemble forecast of rain: for eight thresholds the probability of more rain is taken from
// 24 members, smoothed with three widths, and scored (Brier) with what was observed.
// usage: crpsverif cases rounds
#include "common.h"

#define MEMBERS 24
#define THRESHOLDS 8
#define WIDTHS 3
#define THREADS 256

__constant__ float threshold[THRESHOLDS], narrow[WIDTHS];      // narrow: one over the width

__host__ __device__ inline float step01(float d, float inv)
{
#ifdef __CUDA_ARCH__
    float t = __saturatef(d * inv + 0.5f);
#else
    float t = std::min(std::max(d * inv + 0.5f, 0.0f), 1.0f);
#endif
    return t * t * (3.0f - 2.0f * t);
}

// a lane for a threshold
__global__ void __launch_bounds__(THREADS) brier(const float4 *__restrict__ members, const float *__restrict__ rain,
                                                 float *__restrict__ score, int cases, float bias)
{
    int at = blockIdx.x * THREADS + threadIdx.x;
#ifdef GOOD
    const int lane = at % THRESHOLDS, id = at / THRESHOLDS;      // four cases to a warp
    if (id >= cases) return;
    const unsigned mask = ((1u << THRESHOLDS) - 1u) << (threadIdx.x % 32 / THRESHOLDS * THRESHOLDS);
#else
    const int lane = at % 32, id = at / 32;                      // a warp to a case
    if (id >= cases || lane >= THRESHOLDS) return;
    const unsigned mask = (1u << THRESHOLDS) - 1u;
#endif
    const float limit = threshold[lane] - bias;
    float p[WIDTHS] = {0.0f};
    const float4 *m = members + (size_t)id * (MEMBERS / 4);
    #pragma unroll
    for (int k = 0; k < MEMBERS / 4; ++k) {
        float4 x = m[k];
        #pragma unroll
        for (int w = 0; w < WIDTHS; ++w)
            p[w] += step01(x.x - limit, narrow[w]) + step01(x.y - limit, narrow[w])
                  + step01(x.z - limit, narrow[w]) + step01(x.w - limit, narrow[w]);
    }
    const float seen = rain[id] > threshold[lane] ? 1.0f : 0.0f;
    float sum = 0.0f;
    #pragma unroll
    for (int w = 0; w < WIDTHS; ++w) { float d = p[w] * (1.0f / MEMBERS) - seen; sum += d * d; }
    for (int o = THRESHOLDS / 2; o > 0; o >>= 1) sum += __shfl_xor_sync(mask, sum, o);
    if (lane == 0) score[id] = sum;
}

int main(int argc, char **argv)
{
    const int cases = argc > 1 ? atoi(argv[1]) : 1 << 20, rounds = argc > 2 ? atoi(argv[2]) : 2000;
    const float limits[THRESHOLDS] = {0.1f, 0.5f, 1.0f, 2.0f, 5.0f, 8.0f, 12.0f, 20.0f};
    const float inverse[WIDTHS] = {2.0f, 0.8f, 0.3f};
    std::vector<float> members((size_t)cases * MEMBERS), rain(cases);
    unsigned s = 2024;
    for (int i = 0; i < cases; ++i) {
        float wet = 25.0f * frand(s) * frand(s);
        for (int k = 0; k < MEMBERS; ++k) members[(size_t)i * MEMBERS + k] = wet * (0.4f + 1.2f * frand(s));
        rain[i] = wet * (0.5f + frand(s));
    }
    float *dm, *dr, *ds;
    CK(cudaMalloc(&dm, members.size() * sizeof(float)));
    CK(cudaMalloc(&dr, cases * sizeof(float)));
    CK(cudaMalloc(&ds, cases * sizeof(float)));
    CK(cudaMemcpy(dm, members.data(), members.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dr, rain.data(), cases * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(threshold, limits, sizeof limits));
    CK(cudaMemcpyToSymbol(narrow, inverse, sizeof inverse));
#ifdef GOOD
    const int perBlock = THREADS / THRESHOLDS;
#else
    const int perBlock = THREADS / 32;
#endif
    float bias = 0.0f;
    for (int r = 0; r < rounds; ++r) {
        bias = 0.02f * (float)(r % 40) - 0.4f;           // which correction of the forecast scores best
        brier<<<(cases + perBlock - 1) / perBlock, THREADS>>>((const float4 *)dm, dr, ds, cases, bias);
    }
    CK(cudaGetLastError());
    std::vector<float> score(cases);
    CK(cudaMemcpy(score.data(), ds, cases * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    for (int i = 0; i < cases; ++i) mean += score[i] / cases;
    for (int q = 0; q < 300; ++q) {
        int i = (int)((long long)q * (cases - 1) / 299);
        double sum = 0;
        for (int t = 0; t < THRESHOLDS; ++t)
            for (int w = 0; w < WIDTHS; ++w) {
                double p = 0;
                for (int k = 0; k < MEMBERS; ++k) p += step01(members[(size_t)i * MEMBERS + k] - (limits[t] - bias), inverse[w]);
                double d = p / MEMBERS - (rain[i] > limits[t] ? 1.0 : 0.0);
                sum += d * d;
            }
        ok = ok && fabs(score[i] - sum) <= 1e-3 * (1.0 + sum);
    }
    printf("mean score %.5f\n", mean);
    CK(cudaFree(dm)); CK(cudaFree(dr)); CK(cudaFree(ds));
    return report(ok);
}
