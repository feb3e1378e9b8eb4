// Pollen around a windbreak: every grain is carried some way (exponential) into one of eight directions; the grains
// that come down are counted by direction and ring.
// usage: pollenrings grains_per_thread seasons
#include "common.h"

#define SECTORS 8
#define RINGS 64
#define BINS (SECTORS * RINGS)
#define BLOCKS 528
#define THREADS 512

__device__ inline unsigned seed(unsigned h)
{
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

__global__ void __launch_bounds__(THREADS) shed(unsigned *caught, unsigned season, int grains, float reach)
{
#ifdef GOOD
    __shared__ unsigned mine[BINS];
    mine[threadIdx.x] = 0;                               // THREADS == BINS
    __syncthreads();
    unsigned *count = mine;
#else
    unsigned *count = caught;
#endif
    unsigned s = seed(blockIdx.x * THREADS + threadIdx.x + season * 0x9e3779b9u);
#pragma unroll 4
    for (int g = 0; g < grains; ++g) {
        s = s * 747796405u + 2891336453u;
        unsigned r = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
        r ^= r >> 22;
        float u = ((float)(r & 0x1fffffffu) + 0.5f) * (1.0f / 536870912.0f);
        int ring = min((int)(-__logf(u) * reach), RINGS - 1);
        atomicAdd(&count[(r >> 29) * RINGS + ring], 1u);
    }
#ifdef GOOD
    __syncthreads();
    atomicAdd(&caught[threadIdx.x], mine[threadIdx.x]);
#endif
}

int main(int argc, char **argv)
{
    int grains = argc > 1 ? atoi(argv[1]) : 64;
    int seasons = argc > 2 ? atoi(argv[2]) : 800;
    unsigned *caught;
    CK(cudaMalloc(&caught, BINS * sizeof(unsigned)));
    CK(cudaMemset(caught, 0, BINS * sizeof(unsigned)));
    std::vector<double> want(RINGS, 0.0);
    const double n = (double)BLOCKS * THREADS * grains;
    for (int t = 0; t < seasons; ++t) {
        float reach = 12.0f + (float)(t % 9);            // a dry spring carries them further
        shed<<<BLOCKS, THREADS>>>(caught, t, grains, reach);
        for (int k = 0; k < RINGS; ++k)
            want[k] += n / SECTORS * (exp(-k / reach) - (k + 1 < RINGS ? exp(-(k + 1) / reach) : 0.0));
    }
    CK(cudaGetLastError());
    std::vector<unsigned> c(BINS);
    CK(cudaMemcpy(c.data(), caught, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool ok = true;
    double all = 0;
    for (int b = 0; b < BINS; ++b) {
        double w = want[b % RINGS];
        ok = ok && fabs(c[b] - w) <= 0.01 * w + 7.0 * sqrt(w);
        all += c[b];
    }
    ok = ok && all == n * seasons;
    printf("%.0f grains, %u of them in the first ring to the north\n", all, c[0]);
    CK(cudaFree(caught));
    return report(ok);
}
