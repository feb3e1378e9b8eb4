// Firing a kiln full of pots: every pot is heated by radiation and by the moving air, and its glaze melts
// together by an Arrhenius law.  One thread per pot; the programme of the kiln is a list of ramps.
// usage: kilnshelf POTS RAMPS STEPS
#include "common.h"

#ifdef GOOD
#define SIGMA   5.670e-8f    // Stefan-Boltzmann
#define EMISS   0.85f
#define CONV    12.0f        // W/m2K
#define ACT     21500.0f     // activation energy / gas constant, K
#define RATE    260.0f       // 1/s
#define ONE     1.0f
#else
#define SIGMA   5.670e-8     // Stefan-Boltzmann
#define EMISS   0.85
#define CONV    12.0         // W/m2K
#define ACT     21500.0      // activation energy / gas constant, K
#define RATE    260.0        // 1/s
#define ONE     1.0
#endif

__device__ float pow4(float x) { float y = x * x; return y * y; }

__global__ void fire_ramp(float *__restrict__ temp, float *__restrict__ melt, const float *__restrict__ heatcap,
                          float air0, float dair, float dt, int pots, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pots) return;
    float T = temp[i], m = melt[i], k = dt / heatcap[i];
    for (int s = 0; s < steps; s++) {
        float air = air0 + dair * s;
        T += k * (EMISS * SIGMA * (pow4(air) - pow4(T)) + CONV * (air - T));
        m += dt * RATE * (ONE - m) * exp(-ACT / T);
    }
    temp[i] = T;
    melt[i] = m;
}

// how much is each shelf (64 pots) fired: mean of the melt
__global__ void shelf_mean(const float *__restrict__ melt, float *shelf, int shelves)
{
    int sh = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (sh >= shelves) return;
    const float *p = melt + (size_t)sh * 64;
    shelf[(size_t)sh * 32 + lane] = 0.5f * (p[lane] + p[lane + 32]);
}

int main(int argc, char **argv)
{
    int pots = argc > 1 ? atoi(argv[1]) : 1 << 20;
    int ramps = argc > 2 ? atoi(argv[2]) : 300;
    int steps = argc > 3 ? atoi(argv[3]) : 256;
    pots = std::max(64, pots / 64 * 64);
    const float dt = 0.4f;

    std::vector<float> heatcap(pots), temp(pots, 293.0f), melt(pots, 0.0f);
    unsigned seed = 5;
    for (float &c : heatcap) c = 6000.0f + 14000.0f * frand(seed);

    float *dheat, *dtemp, *dmelt, *dshelf;
    size_t bytes = pots * sizeof(float);
    CK(cudaMalloc(&dheat, bytes));
    CK(cudaMalloc(&dtemp, bytes));
    CK(cudaMalloc(&dmelt, bytes));
    CK(cudaMalloc(&dshelf, bytes / 2));
    CK(cudaMemcpy(dheat, heatcap.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dtemp, temp.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dmelt, melt.data(), bytes, cudaMemcpyHostToDevice));

    // up to 1500 K in the first two thirds, then hold
    std::vector<float> start(ramps + 1);
    for (int r = 0; r <= ramps; r++) start[r] = 293.0f + 1207.0f * std::min(1.0f, 1.5f * r / ramps);

    for (int r = 0; r < ramps; r++)
        fire_ramp<<<(pots + 255) / 256, 256>>>(dtemp, dmelt, dheat, start[r], (start[r + 1] - start[r]) / steps,
                                               dt, pots, steps);
    shelf_mean<<<(pots / 2 + 255) / 256, 256>>>(dmelt, dshelf, pots / 64);
    CK(cudaGetLastError());
    CK(cudaMemcpy(temp.data(), dtemp, bytes, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(melt.data(), dmelt, bytes, cudaMemcpyDeviceToHost));
    std::vector<float> shelf(pots / 2);
    CK(cudaMemcpy(shelf.data(), dshelf, bytes / 2, cudaMemcpyDeviceToHost));

    bool ok = close_to(shelf[pots / 2 - 1], 0.5 * (melt[pots - 33] + melt[pots - 1]), 1e-5);
    for (int q = 0; q < 4; q++) {
        int i = (int)((long long)q * (pots - 1) / 3);
        double T = 293, m = 0, k = dt / heatcap[i];
        for (int r = 0; r < ramps; r++)
            for (int s = 0; s < steps; s++) {
                double air = start[r] + (double)(start[r + 1] - start[r]) / steps * s;
                T += k * (0.85 * 5.67e-8 * (pow(air, 4) - T * T * T * T) + 12 * (air - T));
                m += dt * 260.0 * (1 - m) * exp(-21500.0 / T);
            }
        printf("pot %d: %.1f K (%.1f), melted %.4f (%.4f)\n", i, temp[i], T, melt[i], m);
        if (!close_to(temp[i], T, 2e-3) || !close_to(melt[i], m, 1e-2)) ok = false;
    }
    CK(cudaFree(dheat)); CK(cudaFree(dtemp)); CK(cudaFree(dmelt)); CK(cudaFree(dshelf));
    return report(ok);
}
