// Glaciers: on which day does the winter snow of a cell melt away, so that bare ice appears? Melt maps of up to 96
// days lie one after another; a cell is followed until its snow is gone.
//   meltstake [scenarios]
#include "common.h"

#define WIDE 2048
#define TALL 2048
#define CELLS (WIDE * TALL)
#define DAYS 96

__host__ __device__ inline float melt_of(unsigned cell, unsigned day)    // cm of water
{
    unsigned h = cell * 97u + day * 40503u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12;
    return 1.0f + 0.01f * (float)day + (float)(h & 255u) * 0.0005f;
}
__host__ __device__ inline float snow_of(unsigned cell, unsigned scenario)
{
    unsigned y = cell / WIDE;                                            // higher up there is more snow
    return 78.0f + 0.02f * (float)y + 0.5f * (float)(scenario % 8u);
}

__global__ void draw_maps(float *melt)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned d = 0; d < DAYS; ++d) melt[(size_t)d * CELLS + i] = melt_of(i, d);
}

__global__ void __launch_bounds__(256) bare_ice(const float *__restrict__ melt, unsigned char *__restrict__ day, unsigned scenario)
{
    const unsigned cell = blockIdx.x * 256 + threadIdx.x;
    float snow = snow_of(cell, scenario);
    const float *map = melt + cell;
    int d = 0;
#ifdef GOOD
    // eight days are fetched before the first of them is looked at
    for (; d < DAYS && snow > 0.0f; ) {
        float m[8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) m[k] = map[(size_t)(d + k) * CELLS];
        #pragma unroll
        for (int k = 0; k < 8; ++k)
            if (snow > 0.0f) { snow -= m[k]; ++d; }
    }
#else
    while (d < DAYS && snow > 0.0f) {
        snow -= map[(size_t)d * CELLS];
        ++d;
    }
#endif
    day[cell] = (unsigned char)d;
}

int main(int argc, char **argv)
{
    int scenarios = argc > 1 ? atoi(argv[1]) : 1200;
    float *melt;
    unsigned char *day;
    CK(cudaMalloc(&melt, (size_t)DAYS * CELLS * sizeof(float)));
    CK(cudaMalloc(&day, CELLS));
    draw_maps<<<CELLS / 256, 256>>>(melt);
    for (int s = 0; s < scenarios; ++s) bare_ice<<<CELLS / 256, 256>>>(melt, day, s);
    CK(cudaGetLastError());
    std::vector<unsigned char> r(CELLS);
    CK(cudaMemcpy(r.data(), day, CELLS, cudaMemcpyDeviceToHost));
    bool ok = true;
    double mean = 0;
    unsigned samples = 0;
    for (unsigned i = 0; i < CELLS; i += 997) {
        double snow = snow_of(i, scenarios - 1);
        int early = -1, d = 0;
        for (; d < DAYS && snow > -1e-3; ++d) {
            if (early < 0 && snow <= 1e-3) early = d;
            snow -= melt_of(i, d);
        }
        ok = ok && r[i] <= d && r[i] >= (early < 0 ? d : early);
        mean += r[i];
        ++samples;
    }
    printf("mean day: %.2f\n", mean / samples);
    CK(cudaFree(melt));
    CK(cudaFree(day));
    return report(ok);
}
