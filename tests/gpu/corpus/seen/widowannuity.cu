// Life insurance: present value of an annuity that is paid at most 60 years as long as the insured lives; the force of
// mortality grows every year by a factor (Gompertz). All policies, at several rates of interest.
// usage: widowannuity policies rates
#include "common.h"

#define YEARS 60
#define THREADS 256
#ifdef GOOD
#define UNROLLING _Pragma("unroll")
#else
#define UNROLLING _Pragma("unroll 1")
#endif

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

// x: mortality in the first year, y: factor per year
__host__ __device__ inline float2 policyOf(unsigned i)
{
    unsigned h = scramble(i + 101u);
    return make_float2(0.0002f + (float)(h & 1023u) * 2e-6f, 1.07f + (float)(h >> 10 & 1023u) * 2e-5f);
}

__global__ void sign(float2 *policy, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) policy[i] = policyOf(i);
}

__global__ void __launch_bounds__(THREADS) value(const float2 *__restrict__ policy, float *__restrict__ annuity, unsigned n,
                                                 float discount)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    const float2 p = policy[i];
    float dying = p.x, worth = 1.0f, sum = 1.0f;
    UNROLLING
    for (int year = 0; year < YEARS; ++year) {
        worth *= discount - discount * dying;
        sum += worth;
        dying *= p.y;
    }
    annuity[i] = sum;
}

int main(int argc, char **argv)
{
    const unsigned n = argc > 1 ? atoi(argv[1]) : 8388608;
    const int rates = argc > 2 ? atoi(argv[2]) : 6000;
    float2 *policy; float *annuity;
    CK(cudaMalloc(&policy, n * sizeof(float2)));
    CK(cudaMalloc(&annuity, n * sizeof(float)));
    sign<<<1056, THREADS>>>(policy, n);
    float discount = 1.0f;
    for (int r = 0; r < rates; ++r) {
        discount = 1.0f / (1.01f + 0.0025f * (float)(r % 16));
        value<<<(n + THREADS - 1) / THREADS, THREADS>>>(policy, annuity, n, discount);
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), annuity, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    for (int q = 0; q < 50000; ++q) {
        unsigned i = (unsigned)((long long)q * (n - 1) / 49999);
        float2 p = policyOf(i);
        double dying = p.x, worth = 1, sum = 1;
        for (int year = 0; year < YEARS; ++year) {
            worth *= discount * (1 - dying);
            sum += worth;
            dying *= p.y;
        }
        ok = ok && close_to(got[i], sum, 1e-4);
        mean += sum / 50000;
    }
    printf("mean annuity: %.4f\n", mean);
    CK(cudaFree(policy)); CK(cudaFree(annuity));
    return report(ok);
}
