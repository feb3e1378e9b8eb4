// Snow cover by the degree-day method: each day the weather of the whole grid (mean temperature,
// precipitation) goes to the card and the water stored in snow and in firn is brought up to date.
#include "common.h"

#ifndef SIDE
#define SIDE 2048
#endif
const int CELLS = SIDE * SIDE, WEATHERS = 4;

struct Cover { float snow, firn, runoff; };

__host__ __device__ inline void one_day(Cover &c, float temp, float rain)
{
    float fresh = temp < 0.5f ? rain : 0.0f, warm = fmaxf(temp, 0.0f);
    c.snow += fresh;
    float melt = fminf(c.snow, 0.55f * warm);
    c.snow -= melt;
    float settle = 0.004f * c.snow;
    c.snow -= settle;
    c.firn += settle;
    float gone = c.snow < 1.0f ? fminf(c.firn, 0.08f * warm) : 0.0f;
    c.firn -= gone;
    c.runoff += melt + gone + (rain - fresh);
}

__global__ void day(float *__restrict__ snow, float *__restrict__ firn, float *__restrict__ runoff,
                    const float *__restrict__ temp, const float *__restrict__ rain)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    Cover c = {snow[k], firn[k], runoff[k]};
    one_day(c, temp[k], rain[k]);
    snow[k] = c.snow;
    firn[k] = c.firn;
    runoff[k] = c.runoff;
}

struct Weather
{
    float *temp, *rain;
    explicit Weather(size_t n)
    {
#ifdef GOOD
        CK(cudaMallocHost(&temp, n * sizeof(float)));
        CK(cudaMallocHost(&rain, n * sizeof(float)));
#else
        temp = (float *)malloc(n * sizeof(float));
        rain = (float *)malloc(n * sizeof(float));
#endif
    }
    void release()
    {
#ifdef GOOD
        CK(cudaFreeHost(temp));
        CK(cudaFreeHost(rain));
#else
        free(temp);
        free(rain);
#endif
    }
};

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 500;
    unsigned seed = 9;
    std::vector<Weather> archive;
    for (int w = 0; w < WEATHERS; w++) {
        archive.emplace_back((size_t)CELLS);
        for (int k = 0; k < CELLS; k++) {
            archive[w].temp[k] = 12.0f * frand(seed) - 5.0f - 3.0f * (k / SIDE) / SIDE;
            archive[w].rain[k] = 6.0f * frand(seed);
        }
    }
    float *state[3], *temp, *rain;
    for (auto &s : state) {
        CK(cudaMalloc(&s, CELLS * sizeof(float)));
        CK(cudaMemset(s, 0, CELLS * sizeof(float)));
    }
    CK(cudaMalloc(&temp, CELLS * sizeof(float)));
    CK(cudaMalloc(&rain, CELLS * sizeof(float)));
    for (int d = 0; d < days; d++) {
        const Weather &w = archive[d * 7 / 5 % WEATHERS];
        CK(cudaMemcpyAsync(temp, w.temp, CELLS * sizeof(float), cudaMemcpyHostToDevice));
        CK(cudaMemcpyAsync(rain, w.rain, CELLS * sizeof(float), cudaMemcpyHostToDevice));
        day<<<CELLS / 256, 256>>>(state[0], state[1], state[2], temp, rain);
    }
    CK(cudaGetLastError());

    std::vector<float> got[3];
    for (int q = 0; q < 3; q++) {
        got[q].resize(CELLS);
        CK(cudaMemcpy(got[q].data(), state[q], CELLS * sizeof(float), cudaMemcpyDeviceToHost));
    }
    bool ok = true;
    int apart = 0;
    for (int t = 0; t < 3000; t++) {
        int k = (int)((t * 104729u + 17u) % CELLS);
        Cover c = {0, 0, 0};
        for (int d = 0; d < days; d++) {
            const Weather &w = archive[d * 7 / 5 % WEATHERS];
            one_day(c, w.temp[k], w.rain[k]);
        }
        double all = (double)got[0][k] + got[1][k] + got[2][k];
        ok = ok && close_to(all, (double)c.snow + c.firn + c.runoff, 1e-3);
        ok = ok && got[0][k] >= 0 && got[1][k] >= 0;
        apart += !close_to(got[0][k], c.snow, 1e-2) || !close_to(got[1][k], c.firn, 1e-2);
    }
    ok = ok && apart < 30;
    for (auto &w : archive) w.release();
    for (auto &s : state) CK(cudaFree(s));
    CK(cudaFree(temp)); CK(cudaFree(rain));
    return report(ok);
}
