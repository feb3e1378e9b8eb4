// Temperature of gas parcels from their enthalpy: Newton's method on the
// mixture's caloric polynomials, for a series of heat releases.
#include "common.h"

constexpr int PARCELS = 4 << 20;
constexpr int SPECIES = 4;
constexpr int TERMS = 14;
constexpr int ROUNDS = 8;         // Newton corrections
constexpr int RELEASES = 30;

struct Caloric { float a[SPECIES][TERMS]; };   // highest power first, argument T/1000
__constant__ Caloric caloric;

__device__ inline float solve(const Caloric &c, const float (&y)[SPECIES], float target)
{
    float x = 3.0f;
    for (int it = 0; it < ROUNDS; it++) {
        float h = 0.0f, cp = 0.0f;
#pragma unroll
        for (int s = 0; s < SPECIES; s++) {
            float v = c.a[s][0], d = 0.0f;
#ifdef GOOD
#pragma unroll
#else
#pragma unroll 1
#endif
            for (int k = 1; k < TERMS; k++) {
                d = d * x + v;
                v = v * x + c.a[s][k];
            }
            h += y[s] * v;
            cp += y[s] * d;
        }
        x -= (h - target) / cp;
    }
    return 1000.0f * x;
}

static double solveHost(const Caloric &c, const double *y, double target)
{
    double x = 3.0;
    for (int it = 0; it < 2 * ROUNDS; it++) {
        double h = 0.0, cp = 0.0;
        for (int s = 0; s < SPECIES; s++) {
            double power = 1.0;
            for (int k = 0; k < TERMS; k++) {
                h += y[s] * c.a[s][TERMS - 1 - k] * power;
                if (k + 1 < TERMS) cp += y[s] * (k + 1) * c.a[s][TERMS - 2 - k] * power;
                power *= x;
            }
        }
        x -= (h - target) / cp;
    }
    return 1000.0 * x;
}

__global__ void parcelTemperature(const float4 *__restrict__ fraction,
                                  const float *__restrict__ enthalpy, float release,
                                  float *__restrict__ hottest)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= PARCELS) return;
    float4 f = fraction[p];
    float y[SPECIES] = {f.x, f.y, f.z, f.w};
    float t = solve(caloric, y, enthalpy[p] + release);
    hottest[p] = fmaxf(hottest[p], t);
}

int main()
{
    Caloric c;
    for (int s = 0; s < SPECIES; s++) {
        float term = 1.0f + 0.2f * s;
        for (int k = 0; k < TERMS; k++) {
            c.a[s][TERMS - 1 - k] = term;
            term *= (0.9f + 0.05f * s) / (k + 1);
        }
    }
    std::vector<float4> fraction(PARCELS);
    std::vector<float> enthalpy(PARCELS), hottest(PARCELS);
    unsigned seed = 2718u;
    for (int p = 0; p < PARCELS; p++) {
        float a = 0.1f + frand(seed), b = 0.1f + frand(seed), d = 0.1f + frand(seed), e = 0.1f + frand(seed);
        float sum = a + b + d + e;
        fraction[p] = make_float4(a / sum, b / sum, d / sum, e / sum);
        enthalpy[p] = 2.5f + 4.0f * frand(seed);
    }

    float4 *dFraction;
    float *dEnthalpy, *dHottest;
    CK(cudaMalloc(&dFraction, PARCELS * sizeof(float4)));
    CK(cudaMalloc(&dEnthalpy, PARCELS * sizeof(float)));
    CK(cudaMalloc(&dHottest, PARCELS * sizeof(float)));
    CK(cudaMemcpyToSymbol(caloric, &c, sizeof(c)));
    CK(cudaMemcpy(dFraction, fraction.data(), PARCELS * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dEnthalpy, enthalpy.data(), PARCELS * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(dHottest, 0, PARCELS * sizeof(float)));
    for (int r = 0; r < RELEASES; r++) {
        float release = 1.5f * sinf(0.37f * r);
        parcelTemperature<<<PARCELS / 256, 256>>>(dFraction, dEnthalpy, release, dHottest);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(hottest.data(), dHottest, PARCELS * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int p = 11; p < PARCELS; p += 9973) {
        double y[SPECIES] = {fraction[p].x, fraction[p].y, fraction[p].z, fraction[p].w};
        double ref = 0.0;
        for (int r = 0; r < RELEASES; r++)
            ref = std::max(ref, solveHost(c, y, enthalpy[p] + 1.5f * sinf(0.37f * r)));
        if (!close_to(hottest[p], ref, 1e-3)) ok = false;
    }
    CK(cudaFree(dFraction));
    CK(cudaFree(dEnthalpy));
    CK(cudaFree(dHottest));
    return report(ok);
}
