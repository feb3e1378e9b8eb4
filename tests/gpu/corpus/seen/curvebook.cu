// Swap curves of a bank: in each scenario the discount factors of thirty years are stripped from the par rates, with
// every rate in turn moved up and down by a basis point; the book's value under the moves gives its risk. For all currencies.
// usage: curvebook scenarios days
#include "common.h"

#define YEARS 30
#define CURRENCIES 48

__constant__ float par[CURRENCIES][YEARS];

__host__ __device__ inline float shiftOf(int scenario, int day)
{
    return 0.00002f * (float)(scenario % 400 - 200) + 0.00001f * (float)(day % 50);
}

__device__ inline float strip(const float *rates, float shift, int bumped, float bump)
{
    float annuity = 0.0f, value = 0.0f;
    #pragma unroll 6
    for (int k = 0; k < YEARS; ++k) {
        float r = rates[k] + shift + (k == bumped ? bump : 0.0f);
        float df = __fdividef(1.0f - r * annuity, 1.0f + r);
        annuity += df;
        value += df * (0.03f + 0.001f * (float)k);
    }
    return value;
}

__global__ void ladder(float *__restrict__ risk, int scenarios, int day, int first)
{
    const int currency = first + blockIdx.y;
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= scenarios) return;
    const float shift = shiftOf(s, day);
    float worst = 0.0f, all = 0.0f;
    for (int b = 0; b < YEARS; ++b) {
        float d = strip(par[currency], shift, b, 0.0001f) - strip(par[currency], shift, b, -0.0001f);
        worst = fminf(worst, d);
        all += d;
    }
    risk[(size_t)currency * scenarios + s] = 1000.0f * (all + worst);
}

int main(int argc, char **argv)
{
    int scenarios = argc > 1 ? atoi(argv[1]) : 2048;
    int days = argc > 2 ? atoi(argv[2]) : 450;
    std::vector<float> p(CURRENCIES * YEARS);
    for (int c = 0; c < CURRENCIES; ++c)
        for (int k = 0; k < YEARS; ++k) p[c * YEARS + k] = 0.02f + 0.0005f * (float)(c % 20) + 0.0008f * sqrtf((float)k);
    CK(cudaMemcpyToSymbol(par, p.data(), p.size() * sizeof(float)));
    float *risk;
    CK(cudaMalloc(&risk, (size_t)CURRENCIES * scenarios * sizeof(float)));
    const int blocks = (scenarios + 255) / 256;
    for (int d = 0; d < days; ++d) {
#ifdef GOOD
        ladder<<<dim3(blocks, CURRENCIES), 256>>>(risk, scenarios, d, 0);
#else
        for (int c = 0; c < CURRENCIES; ++c) ladder<<<blocks, 256>>>(risk, scenarios, d, c);
#endif
    }
    CK(cudaGetLastError());
    std::vector<float> r((size_t)CURRENCIES * scenarios);
    CK(cudaMemcpy(r.data(), risk, r.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 300; ++t) {
        size_t at = (size_t)((long long)t * ((long long)r.size() - 1) / 299);
        int c = (int)(at / scenarios), s = (int)(at % scenarios);
        double worst = 0, all = 0, shift = shiftOf(s, days - 1);
        for (int b = 0; b < YEARS; ++b) {
            double value[2] = {};
            for (int side = 0; side < 2; ++side) {
                double annuity = 0;
                for (int k = 0; k < YEARS; ++k) {
                    double q = p[c * YEARS + k] + shift + (k == b ? (side ? -0.0001 : 0.0001) : 0.0);
                    double df = (1 - q * annuity) / (1 + q);
                    annuity += df;
                    value[side] += df * (0.03 + 0.001 * k);
                }
            }
            all += value[0] - value[1];
            worst = std::min(worst, value[0] - value[1]);
        }
        ok = ok && fabs(r[at] - 1000 * (all + worst)) < 0.1 + 0.02 * fabs(1000 * (all + worst));
    }
    printf("risk of the first currency: %.4f\n", r[0]);
    CK(cudaFree(risk));
    return report(ok);
}
