// Peat bog: temperature of many soil columns, a thread per column. Heat conduction is implicit (Thomas algorithm),
// conductivity depends on the temperature of the layer because frozen peat conducts better. A launch is a day.
// usage: peatcolumns columns days
#include "common.h"

#define LAYERS 16
#define HOURS 24
#define THREADS 128
#ifdef GOOD
#define PITCH (LAYERS + 1)
#else
#define PITCH LAYERS
#endif

__host__ __device__ inline float conduct(float t)
{
    float frozen = fminf(fmaxf(0.5f - 0.5f * t, 0.0f), 1.0f);
    return 0.3f + 0.5f * frozen;
}

__host__ __device__ inline float air(float site, float day, int hour)
{
    float h = (float)(hour - 14) * (1.0f / 12.0f);
    return site + 8.0f * (day - day * day) * 4.0f - 6.0f + 4.0f * (1.0f - h * h);
}

__global__ void __launch_bounds__(THREADS) one_day(float *__restrict__ state, const float *__restrict__ site, int columns,
                                                   float day)
{
    __shared__ float temp[THREADS * PITCH], ratio[THREADS * PITCH];
    const int c = blockIdx.x * THREADS + threadIdx.x;
    if (c >= columns) return;
    float *t = temp + threadIdx.x * PITCH, *r = ratio + threadIdx.x * PITCH;
    for (int l = 0; l < LAYERS; ++l) t[l] = state[(size_t)l * columns + c];
    const float mine = site[c];
    for (int hour = 0; hour < HOURS; ++hour) {
        float above = air(mine, day, hour), here = t[0], rAbove = 0.0f, kAbove = conduct(here);
        #pragma unroll 4
        for (int l = 0; l < LAYERS; ++l) {
            float below = l + 1 < LAYERS ? t[l + 1] : here;
            float kBelow = l + 1 < LAYERS ? 0.5f * (conduct(here) + conduct(below)) : 0.0f;
            // (1 + kAbove + kBelow) x[l] - kAbove x[l-1] - kBelow x[l+1] = here
            float inv = __fdividef(1.0f, 1.0f + kAbove + kBelow - kAbove * rAbove);
            above = (here + kAbove * above) * inv;
            rAbove = kBelow * inv;
            t[l] = above;
            r[l] = rAbove;
            kAbove = kBelow;
            here = below;
        }
        #pragma unroll 4
        for (int l = LAYERS - 2; l >= 0; --l) { above = t[l] + r[l] * above; t[l] = above; }
    }
    for (int l = 0; l < LAYERS; ++l) state[(size_t)l * columns + c] = t[l];
}

static float dayOf(int day) { return (float)(day % 365) / 365.0f; }

int main(int argc, char **argv)
{
    const int columns = argc > 1 ? atoi(argv[1]) : 1 << 19, days = argc > 2 ? atoi(argv[2]) : 400;
    std::vector<float> state((size_t)columns * LAYERS, 4.0f), site(columns);
    unsigned s = 5150;
    for (float &x : site) x = 6.0f * frand(s) - 3.0f;
    float *dstate, *dsite;
    CK(cudaMalloc(&dstate, state.size() * sizeof(float)));
    CK(cudaMalloc(&dsite, columns * sizeof(float)));
    CK(cudaMemcpy(dstate, state.data(), state.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dsite, site.data(), columns * sizeof(float), cudaMemcpyHostToDevice));
    for (int d = 0; d < days; ++d)
        one_day<<<(columns + THREADS - 1) / THREADS, THREADS>>>(dstate, dsite, columns, dayOf(d));
    CK(cudaGetLastError());
    CK(cudaMemcpy(state.data(), dstate, state.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 6; ++q) {
        int c = (int)((long long)q * (columns - 1) / 5);
        double t[LAYERS], r[LAYERS];
        for (double &x : t) x = 4.0;
        for (int d = 0; d < days; ++d)
            for (int hour = 0; hour < HOURS; ++hour) {
                double above = air(site[c], dayOf(d), hour), here = t[0], kAbove = conduct((float)here), rAbove = 0;
                for (int l = 0; l < LAYERS; ++l) {
                    double below = l + 1 < LAYERS ? t[l + 1] : here;
                    double kBelow = l + 1 < LAYERS ? 0.5 * (conduct((float)here) + conduct((float)below)) : 0.0;
                    double inv = 1.0 / (1.0 + kAbove + kBelow - kAbove * rAbove);
                    t[l] = above = (here + kAbove * above) * inv;
                    r[l] = rAbove = kBelow * inv;
                    kAbove = kBelow;
                    here = below;
                }
                for (int l = LAYERS - 2; l >= 0; --l) t[l] += r[l] * t[l + 1];
            }
        for (int l = 0; l < LAYERS; ++l) ok = ok && fabs(state[(size_t)l * columns + c] - t[l]) < 0.02;
    }
    printf("column 0: %.2f at the top, %.2f at the bottom\n", state[0], state[(size_t)(LAYERS - 1) * columns]);
    CK(cudaFree(dstate)); CK(cudaFree(dsite));
    return report(ok);
}
