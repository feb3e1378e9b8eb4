// An interest-rate cap by simulation: short-rate paths (Vasicek) are generated and kept, since several
// products are priced from the same paths; here one cap is paid out from them.
#include "common.h"

static const int PATHS = 1 << 19, T = 256;
static const float KAPPA = 0.3f, THETA = 0.03f, SIGMA = 0.012f, DT = 1.0f / 52;

#ifdef GOOD
__host__ __device__ inline size_t at(int path, int t) { return (size_t)t * PATHS + path; }
#else
__host__ __device__ inline size_t at(int path, int t) { return (size_t)path * T + t; }
#endif

__host__ __device__ inline float shock(unsigned &s)
{
    s = s * 1664525u + 1013904223u;
    unsigned h = (s >> 16) * 0x9E3779B1u ^ s;
    int sum = (int)(h & 255) + (int)((h >> 8) & 255) + (int)((h >> 16) & 255) + (int)(h >> 24);
    return (sum - 510) * (1.0f / 147.8f);       // nearly normal, variance 1
}

__host__ __device__ inline unsigned path_seed(int path, unsigned run)
{
    unsigned h = (unsigned)path * 2654435761u + run * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    return h;
}

__global__ void __launch_bounds__(256) simulate(float *rate, unsigned run)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = path_seed(p, run);
    float r = 0.02f;
    const float vol = SIGMA * 0.13867505f;      // sigma * sqrt(dt)
    for (int t = 0; t < T; ++t) {
        r += KAPPA * (THETA - r) * DT + vol * shock(s);
        rate[at(p, t)] = r;
    }
}

__global__ void __launch_bounds__(256) pay_cap(const float *rate, float *pay, float strike)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float discount = 0.0f, sum = 0.0f;
    for (int t = 0; t < T; ++t) {
        float r = rate[at(p, t)];
        discount += r * DT;
        sum += fmaxf(r - strike, 0.0f) * (1.0f - discount);
    }
    pay[p] = sum * DT;
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 100;
    const float strike = 0.021f;
    float *rate, *pay;
    CK(cudaMalloc(&rate, sizeof(float) * (size_t)PATHS * T));
    CK(cudaMalloc(&pay, sizeof(float) * PATHS));
    for (int k = 0; k < runs; ++k) {
        simulate<<<PATHS / 256, 256>>>(rate, k);
        pay_cap<<<PATHS / 256, 256>>>(rate, pay, strike);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(PATHS);
    CK(cudaMemcpy(h.data(), pay, sizeof(float) * PATHS, cudaMemcpyDeviceToHost));
    bool ok = true;
    double mean = 0;
    for (float v : h) mean += v;
    printf("cap %.6f\n", mean / PATHS);
    for (int t = 0; t < 200; ++t) {
        int p = (int)((unsigned)t * 2654435761u % PATHS);
        unsigned s = path_seed(p, runs - 1);
        double r = 0.02f, discount = 0, sum = 0;
        for (int i = 0; i < T; ++i) {
            r += KAPPA * (THETA - r) * DT + SIGMA * 0.13867505 * shock(s);
            discount += r * DT;
            sum += std::max(r - strike, 0.0) * (1 - discount);
        }
        ok = ok && close_to(h[p], sum * DT, 1e-4);
    }
    ok = ok && mean > 0;
    CK(cudaFree(rate)); CK(cudaFree(pay));
    return report(ok);
}
