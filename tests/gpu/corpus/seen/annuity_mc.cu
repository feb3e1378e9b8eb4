// Value of a variable annuity with a yearly guarantee: lognormal fund, 30 years in monthly steps.
// One launch prices everything; each thread simulates a few paths.
#include "common.h"

const int THREADS = 132 * 2048, MONTHS = 360;

#ifdef GOOD
typedef float real;
__device__ inline real Log(real x) { return logf(x); }
__device__ inline real Exp(real x) { return expf(x); }
__device__ inline real Sqrt(real x) { return sqrtf(x); }
__device__ inline void SinCos(real x, real *s, real *c) { sincospif(x, s, c); }
#else
typedef double real;
__device__ inline real Log(real x) { return log(x); }
__device__ inline real Exp(real x) { return exp(x); }
__device__ inline real Sqrt(real x) { return sqrt(x); }
__device__ inline void SinCos(real x, real *s, real *c) { sincospi(x, s, c); }
#endif

__device__ inline unsigned next(unsigned &s)
{
    s = s * 747796405u + 2891336453u;
    unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    return (w >> 22) ^ w;
}

__global__ void price(int paths, float mu, float sigma, float fee, float floor_rate, float *__restrict__ payoff,
                      float *__restrict__ fund_end)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = id * 9781u + 7u;
    next(s);
    const real dt = real(1) / real(12);
    const real drift = (real(mu) - real(0.5) * sigma * sigma - fee) * dt;
    const real vol = real(sigma) * Sqrt(dt);
    const real unit = real(1) / real(16777216);
    real sum = 0, fsum = 0;
    for (int p = 0; p < paths; p++) {
        real fund = 1, guarantee = 1;
        for (int m = 0; m < MONTHS; m += 2) {
            real u = (real(next(s) >> 8) + real(0.5)) * unit;
            real v = real(next(s) >> 8) * unit;
            real rad = Sqrt(real(-2) * Log(u)), sn, cs;
            SinCos(real(2) * v, &sn, &cs);
            fund *= Exp(drift + vol * rad * cs);
            fund *= Exp(drift + vol * rad * sn);
            guarantee *= real(1) + real(floor_rate) * (real(2) * dt);
            if (m % 12 == 10 && fund > guarantee) guarantee = fund * real(0.9) > guarantee ? fund * real(0.9) : guarantee;
        }
        sum += fund > guarantee ? fund : guarantee;
        fsum += fund;
    }
    payoff[id] = float(sum / paths);
    fund_end[id] = float(fsum / paths);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const float mu = 0.03f, sigma = 0.15f, fee = 0.01f, fl = 0.005f;
    float *pay, *fund;
    CK(cudaMalloc(&pay, THREADS * sizeof(float)));
    CK(cudaMalloc(&fund, THREADS * sizeof(float)));
    for (int r = 0; r < reps; r++)
        price<<<THREADS / 256, 256>>>(256, mu, sigma, fee, fl, pay, fund);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> hp(THREADS), hf(THREADS);
    CK(cudaMemcpy(hp.data(), pay, THREADS * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hf.data(), fund, THREADS * sizeof(float), cudaMemcpyDeviceToHost));
    double a = 0, b = 0;
    bool ok = true;
    for (int i = 0; i < THREADS; i++) { a += hp[i]; b += hf[i]; ok = ok && hp[i] >= hf[i] * 0.9999f; }
    a /= THREADS; b /= THREADS;
    double expect = exp((mu - fee) * 30.0);       // the fund itself has a known mean
    printf("payoff %.4f fund %.4f (exact %.4f)\n", a, b, expect);
    ok = ok && close_to(b, expect, 5e-3) && a > b;
    CK(cudaFree(pay));
    CK(cudaFree(fund));
    return report(ok);
}
