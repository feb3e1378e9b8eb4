// Tax simulation: what do the households of a country pay under many reforms of the tax law? Employees,
// self-employed, pensioners and landlords are each assessed by their own rules.
// usage: levyreform households reforms
#include "common.h"

enum Kind { EMPLOYEE, SELFEMPLOYED, PENSIONER, LANDLORD, KINDS };

struct Law { float allowance, base, slope, cap; };

struct alignas(16) Household { float income, extra; int kind; int children; };

__host__ __device__ inline float tariff(float x, const Law &law)       // progressive, like the German one
{
    float z = fmaxf(x - law.allowance, 0.0f);
    return fminf(law.base + law.slope * z, law.cap) * z;
}

__host__ __device__ inline float assess(const Household &h, const Law &law)
{
    float tax = 0.0f;
    switch (h.kind) {
    case EMPLOYEE: {                             // twelve months, wage tax on the extrapolated year
        float paid = 0.0f, sofar = 0.0f;
        #pragma unroll
        for (int m = 1; m <= 12; ++m) {
            sofar += h.income * (m == 12 ? 0.12f : 0.08f);
            float year = sofar * (12.0f / (float)m);
            paid = fmaxf(paid, tariff(year, law) * ((float)m / 12.0f));
        }
        tax = paid - 0.02f * h.extra; break; }
    case SELFEMPLOYED: {                         // the trade tax is deductible from itself: iterate
        float t = 0.0f;
        #pragma unroll
        for (int k = 0; k < 24; ++k) {
            float local = fmaxf(0.14f * (h.income - 0.3f * t) - 0.05f * h.extra, 0.0f);
            t = 0.5f * t + 0.5f * (tariff(h.income - 0.6f * local, law) + 0.4f * local);
        }
        tax = t; break; }
    case PENSIONER: {                            // taxable share rises with the year of retirement
        float share = 0.50f, sum = 0.0f;
        #pragma unroll
        for (int y = 0; y < 20; ++y) {
            share = fminf(share + 0.02f, 1.0f);
            float x = h.income * share + h.extra * (1.0f / (1.0f + 0.03f * (float)y));
            sum += tariff(x, law);
        }
        tax = 0.05f * sum; break; }
    default: {                                   // losses of a year are carried into the next ones
        float loss = 0.0f, sum = 0.0f, rent = h.income;
        #pragma unroll
        for (int y = 0; y < 20; ++y) {
            rent = rent * 1.015f;
            float gain = rent - h.extra * ((y & 3) == 0 ? 3.0f : 0.3f) - loss;
            loss = fmaxf(-gain, 0.0f);
            sum += tariff(fmaxf(gain, 0.0f), law);
        }
        tax = 0.05f * sum; break; }
    }
    return fmaxf(tax - 30.0f * (float)h.children, 0.0f);
}

__global__ void assess_all(const Household *__restrict__ hh, float *__restrict__ tax, int n, Law law)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tax[i] = assess(hh[i], law);
}

__global__ void revenue(const float *__restrict__ tax, double *total, int n)
{
    __shared__ float part[32];
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += tax[i];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        double t = 0;
        for (int w = 0; w < (int)blockDim.x / 32; ++w) t += part[w];
        atomicAdd(total, t);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4000000, reforms = argc > 2 ? atoi(argv[2]) : 2500;
    unsigned s = 7;
    std::vector<Household> hh(n);
    for (auto &h : hh) {
        h.income = 9000.0f + 60000.0f * frand(s);
        h.extra = 8000.0f * frand(s);
        h.kind = (int)(lcg(s) >> 30);
        h.children = (int)(lcg(s) >> 28) % 4;
    }
#ifdef GOOD
    std::vector<Household> all;
    all.swap(hh);
    hh.reserve(n);
    for (int k = 0; k < KINDS; ++k)
        for (const auto &h : all)
            if (h.kind == k) hh.push_back(h);
#endif
    std::vector<Law> laws(reforms);
    for (int r = 0; r < reforms; ++r)
        laws[r] = Law{9000.0f + 10.0f * (float)(r % 100), 0.14f, 4.0e-6f + 1.0e-8f * (float)(r % 37), 0.45f};
    Household *dh; float *dt; double *dr;
    CK(cudaMalloc(&dh, n * sizeof(Household)));
    CK(cudaMalloc(&dt, n * sizeof(float)));
    CK(cudaMalloc(&dr, reforms * sizeof(double)));
    CK(cudaMemcpy(dh, hh.data(), n * sizeof(Household), cudaMemcpyHostToDevice));
    CK(cudaMemset(dr, 0, reforms * sizeof(double)));
    for (int r = 0; r < reforms; ++r) {
        assess_all<<<(n + 255) / 256, 256>>>(dh, dt, n, laws[r]);
        revenue<<<528, 256>>>(dt, dr + r, n);
    }
    CK(cudaGetLastError());
    std::vector<float> tax(n); std::vector<double> rev(reforms);
    CK(cudaMemcpy(tax.data(), dt, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(rev.data(), dr, reforms * sizeof(double), cudaMemcpyDeviceToHost));

    double sum = 0;
    for (int i = 0; i < n; ++i) sum += tax[i];
    bool ok = close_to(rev[reforms - 1], sum, 1e-4);
    for (int t = 0; t < 200; ++t) {
        int i = (int)((long long)t * (n - 1) / 199);
        ok = ok && fabs(tax[i] - assess(hh[i], laws[reforms - 1])) <= 1e-3f * tax[i] + 0.5f;
    }
    printf("revenue under the last reform: %.1f million\n", rev[reforms - 1] * 1e-6);
    CK(cudaFree(dh)); CK(cudaFree(dt)); CK(cudaFree(dr));
    return report(ok);
}
