// Value at risk: each revaluation brings a tape of shocks (scenario by instrument) from the market data process,
// which has corrected some of them since; the card gives profit and loss of every scenario to second order.
// usage: shocktape scenarios revaluations
#include "common.h"

#define INSTRUMENTS 4096
#define CORRECTIONS 1024
#define THREADS 256
#define TAPES 2

struct Tape {
    float *shock;
#ifndef GOOD
    std::vector<float> store;
#endif
    explicit Tape(size_t n)
    {
#ifdef GOOD
        CK(cudaMallocHost(&shock, n * sizeof(float)));
#else
        store.resize(n);
        shock = store.data();
#endif
    }
    void done()
    {
#ifdef GOOD
        CK(cudaFreeHost(shock));
#endif
    }
};

__global__ void revalue(const float4 *__restrict__ shock, const float4 *__restrict__ delta,
                        const float4 *__restrict__ gamma, float *pnl)
{
    __shared__ float part[THREADS / 32];
    const float4 *mine = shock + (size_t)blockIdx.x * (INSTRUMENTS / 4);
    float sum = 0.0f;
    #pragma unroll
    for (int i = threadIdx.x; i < INSTRUMENTS / 4; i += THREADS) {
        float4 s = mine[i], d = delta[i], g = gamma[i];
        sum += s.x * (d.x + g.x * s.x) + s.y * (d.y + g.y * s.y) + s.z * (d.z + g.z * s.z) + s.w * (d.w + g.w * s.w);
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) sum += part[w];
        pnl[blockIdx.x] = sum;
    }
}

int main(int argc, char **argv)
{
    int scenarios = argc > 1 ? atoi(argv[1]) : 8192;
    int revaluations = argc > 2 ? atoi(argv[2]) : 80;
    const size_t n = (size_t)scenarios * INSTRUMENTS, bytes = n * sizeof(float);
    unsigned s = 2008;
    std::vector<float> delta(INSTRUMENTS), gamma(INSTRUMENTS);
    for (int i = 0; i < INSTRUMENTS; ++i) {
        delta[i] = 200.0f * (frand(s) - 0.5f);
        gamma[i] = 40.0f * (frand(s) - 0.5f);
    }
    Tape tapes[TAPES] = {Tape(n), Tape(n)};
    for (auto &t : tapes)
        for (size_t i = 0; i < n; ++i) t.shock[i] = 0.1f * (frand(s) - 0.5f);

    float *dshock, *ddelta, *dgamma, *dpnl, *pnl;
    CK(cudaMalloc(&dshock, bytes));
    CK(cudaMalloc(&ddelta, INSTRUMENTS * sizeof(float)));
    CK(cudaMalloc(&dgamma, INSTRUMENTS * sizeof(float)));
    CK(cudaMalloc(&dpnl, scenarios * sizeof(float)));
    CK(cudaMallocHost(&pnl, scenarios * sizeof(float)));
    CK(cudaMemcpy(ddelta, delta.data(), INSTRUMENTS * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dgamma, gamma.data(), INSTRUMENTS * sizeof(float), cudaMemcpyHostToDevice));

    float worst = 0.0f;
    for (int r = 0; r < revaluations; ++r) {
        Tape &t = tapes[r % TAPES];
        for (int c = 0; c < CORRECTIONS; ++c)
            t.shock[(size_t)((((unsigned long long)lcg(s)) * n) >> 32)] = 0.1f * (frand(s) - 0.5f);
        CK(cudaMemcpyAsync(dshock, t.shock, bytes, cudaMemcpyHostToDevice));
        revalue<<<scenarios, THREADS>>>((const float4 *)dshock, (const float4 *)ddelta, (const float4 *)dgamma, dpnl);
        CK(cudaGetLastError());
        CK(cudaMemcpyAsync(pnl, dpnl, scenarios * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaStreamSynchronize(0));
        worst = std::min(worst, *std::min_element(pnl, pnl + scenarios));
    }

    bool ok = worst < 0.0f;
    const float *last = tapes[(revaluations - 1) % TAPES].shock;
    for (int t = 0; t < 64; ++t) {
        int sc = (int)((long long)t * (scenarios - 1) / 63);
        double want = 0;
        for (int i = 0; i < INSTRUMENTS; ++i) {
            double x = last[(size_t)sc * INSTRUMENTS + i];
            want += x * (delta[i] + gamma[i] * x);
        }
        ok = ok && fabs(pnl[sc] - want) < 0.02 + 1e-4 * fabs(want);
    }
    printf("worst of all scenarios: %.2f\n", worst);
    for (auto &t : tapes) t.done();
    CK(cudaFree(dshock)); CK(cudaFree(ddelta)); CK(cudaFree(dgamma)); CK(cudaFree(dpnl)); CK(cudaFreeHost(pnl));
    return report(ok);
}
