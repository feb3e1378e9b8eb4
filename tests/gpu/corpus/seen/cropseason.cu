// Season yield of several million field plots under daily weather, each plot
// growing one of four crops, repeated for a run of years.
#include "common.h"

constexpr int PLOTS = 4 << 20;
constexpr int DAYS = 180;
constexpr int YEARS = 14;

enum Crop : int { WHEAT, MAIZE, POTATO, SOY, CROPS };

struct Weather { float temp[DAYS], rain[DAYS], light[DAYS]; };
__constant__ Weather sky;

// Daily balance; w: soil water, b: biomass.
__host__ __device__ inline float wheat(const Weather &s, float w, float n)
{
    float b = 0.2f;
    for (int d = 0; d < DAYS; d++) {
        float heat = fmaxf(s.temp[d] - 4.0f, 0.0f);
        float g = s.light[d] * (1.0f - expf(-0.6f * b)) * w * n;
        b += 0.02f * g * heat / (heat + 9.0f);
        w = fminf(w + s.rain[d] - 0.015f * g, 1.0f);
    }
    return 0.45f * b;
}

__host__ __device__ inline float maize(const Weather &s, float w, float n)
{
    float b = 0.1f, leaf = 0.2f;
    for (int d = 0; d < DAYS; d++) {
        float h = (s.temp[d] - 29.0f) / 12.0f;
        float g = s.light[d] * expf(-h * h) * leaf * w;
        b += 0.035f * g * n;
        leaf += 0.012f * g * (1.0f - leaf / 4.0f);
        w = fminf(w + s.rain[d] - 0.010f * g, 1.0f);
    }
    return 0.5f * b;
}

__host__ __device__ inline float potato(const Weather &s, float w, float n)
{
    float haulm = 0.3f, tuber = 0.0f;
    for (int d = 0; d < DAYS; d++) {
        float cover = 1.0f - expf(-0.9f * haulm);
        float g = 0.03f * s.light[d] * cover * sqrtf(w) * n;
        float share = 1.0f / (1.0f + expf(-0.08f * (d - 60)));
        haulm += g * (1.0f - share) - 0.004f * haulm;
        tuber += g * share;
        w = fminf(w + s.rain[d] - 0.4f * g, 1.0f);
    }
    return tuber;
}

__host__ __device__ inline float soy(const Weather &s, float w, float n)
{
    float b = 0.15f, nod = 0.05f;
    for (int d = 0; d < DAYS; d++) {
        nod += 0.01f * nod * (1.0f - nod) * s.temp[d];
        float g = s.light[d] * (n + nod) * w * b / (b + 1.5f);
        b += 0.03f * g * expf(-0.002f * d);
        w = fminf(w + s.rain[d] - 0.012f * g, 1.0f);
    }
    return 0.4f * b;
}

__host__ __device__ inline float harvest(int crop, const Weather &s, float w, float n)
{
    switch (crop) {
    case WHEAT:  return wheat(s, w, n);
    case MAIZE:  return maize(s, w, n);
    case POTATO: return potato(s, w, n);
    default:     return soy(s, w, n);
    }
}

__global__ void growSeason(const int *__restrict__ order, const int *__restrict__ crop,
                           const float *__restrict__ water, const float *__restrict__ nitrogen,
                           float *__restrict__ yield)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= PLOTS) return;
    int p = order[t];
    yield[p] += harvest(crop[p], sky, water[p], nitrogen[p]);
}

static Weather makeYear(int y)
{
    Weather s;
    unsigned seed = 400u + y;
    for (int d = 0; d < DAYS; d++) {
        s.temp[d] = 14.0f + 9.0f * sinf(3.14159f * d / DAYS) + 3.0f * frand(seed);
        s.rain[d] = 0.02f * frand(seed);
        s.light[d] = 0.6f + 0.4f * frand(seed);
    }
    return s;
}

int main()
{
    std::vector<int> crop(PLOTS), order(PLOTS);
    std::vector<float> water(PLOTS), nitrogen(PLOTS), yield(PLOTS);
    std::vector<Weather> year;
    for (int y = 0; y < YEARS; y++) year.push_back(makeYear(y));
    unsigned seed = 12u;
    for (int p = 0; p < PLOTS; p++) {
        order[p] = p;
        crop[p] = (lcg(seed) >> 12) % CROPS;
        water[p] = 0.5f + 0.5f * frand(seed);
        nitrogen[p] = 0.6f + 0.4f * frand(seed);
    }
#ifdef GOOD
    int next[CROPS + 1] = {};
    for (int p = 0; p < PLOTS; p++) next[crop[p] + 1]++;
    for (int c = 0; c < CROPS; c++) next[c + 1] += next[c];
    for (int p = 0; p < PLOTS; p++) order[next[crop[p]]++] = p;
#endif
    int *dCrop, *dOrder;
    float *dWater, *dNitrogen, *dYield;
    CK(cudaMalloc(&dCrop, PLOTS * sizeof(int)));
    CK(cudaMalloc(&dOrder, PLOTS * sizeof(int)));
    CK(cudaMalloc(&dWater, PLOTS * sizeof(float)));
    CK(cudaMalloc(&dNitrogen, PLOTS * sizeof(float)));
    CK(cudaMalloc(&dYield, PLOTS * sizeof(float)));
    CK(cudaMemcpy(dCrop, crop.data(), PLOTS * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dOrder, order.data(), PLOTS * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dWater, water.data(), PLOTS * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dNitrogen, nitrogen.data(), PLOTS * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(dYield, 0, PLOTS * sizeof(float)));
    for (int y = 0; y < YEARS; y++) {
        CK(cudaMemcpyToSymbol(sky, &year[y], sizeof(Weather)));
        growSeason<<<PLOTS / 256, 256>>>(dOrder, dCrop, dWater, dNitrogen, dYield);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(yield.data(), dYield, PLOTS * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int p = 5; p < PLOTS; p += 3001) {
        float ref = 0.0f;
        for (int y = 0; y < YEARS; y++)
            ref += harvest(crop[p], year[y], water[p], nitrogen[p]);
        if (!close_to(yield[p], ref, 2e-3)) ok = false;
    }
    CK(cudaFree(dCrop));
    CK(cudaFree(dOrder));
    CK(cudaFree(dWater));
    CK(cudaFree(dNitrogen));
    CK(cudaFree(dYield));
    return report(ok);
}
