// Gambler's ruin with dice drawn from a lagged Fibonacci generator, x[n] = x[n-5] + x[n-17],
// one generator per thread. One large launch.
#include "common.h"

const int LAG = 17, SHORT = 5;
const int THREADS = 132 * 2048;

__device__ __host__ inline void seed_state(unsigned *x, unsigned id)
{
    unsigned s = id * 2654435761u + 1u;
    for (int i = 0; i < LAG; i++) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        x[i] = s;
    }
    x[0] |= 1u;
}

__device__ __host__ inline void bet(unsigned r, int &purse, int &low)
{
    purse += (r >> 31) ? 1 : -1;
    low = low < purse ? low : purse;
}

__global__ void play(int rounds, int *__restrict__ purse_out, int *__restrict__ low_out)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x[LAG];
    int purse = 0, low = 0;
#ifdef GOOD
    {
        unsigned s = id * 2654435761u + 1u;
#pragma unroll
        for (int i = 0; i < LAG; i++) {
            s ^= s << 13; s ^= s >> 17; s ^= s << 5;
            x[i] = s;
        }
        x[0] |= 1u;
    }
    for (int n = 0; n < rounds; n += LAG) {
#pragma unroll
        for (int i = 0; i < LAG; i++) {          // positions known at compile time
            x[i] += x[(i + LAG - SHORT) % LAG];
            bet(x[i], purse, low);
        }
    }
#else
    seed_state(x, id);
    int i = 0, j = LAG - SHORT;
    for (int n = 0; n < rounds; n++) {
        unsigned r = x[i] + x[j];
        x[i] = r;
        bet(r, purse, low);
        if (++i == LAG) i = 0;
        if (++j == LAG) j = 0;
    }
#endif
    purse_out[id] = purse;
    low_out[id] = low;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int rounds = LAG * 38400;
    int *purse, *low;
    CK(cudaMalloc(&purse, THREADS * sizeof(int)));
    CK(cudaMalloc(&low, THREADS * sizeof(int)));
    for (int r = 0; r < reps; r++)
        play<<<THREADS / 256, 256>>>(rounds, purse, low);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<int> hp(THREADS), hl(THREADS);
    CK(cudaMemcpy(hp.data(), purse, THREADS * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hl.data(), low, THREADS * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < THREADS; t += 20011) {
        unsigned x[LAG];
        seed_state(x, t);
        int p = 0, l = 0, i = 0, j = LAG - SHORT;
        for (int n = 0; n < rounds; n++) {
            x[i] += x[j];
            bet(x[i], p, l);
            if (++i == LAG) i = 0;
            if (++j == LAG) j = 0;
        }
        ok = ok && p == hp[t] && l == hl[t];
    }
    double mean = 0;
    for (int v : hp) mean += v;
    printf("mean purse %.3f\n", mean / THREADS);
    CK(cudaFree(purse));
    CK(cudaFree(low));
    return report(ok);
}
