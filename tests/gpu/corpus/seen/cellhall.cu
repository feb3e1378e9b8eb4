// Battery storage hall: a field of cells, in strings (the columns) that each have their own demand. Each minute the
// demand of every string is worked out from its customers, then the cells are integrated in short time steps and
// heat flows between neighbours.
// usage: cellhall strings minutes
#include "common.h"

#define ROWS 768             // cells of a string
#define SUBSTEPS 240
#define CUSTOMERS 6

__host__ __device__ inline float openVoltage(float soc)
{
    return 3.2f + soc * (1.1f + soc * (-1.6f + soc * 1.35f));
}

// one minute of one cell; returns the heat it makes
__host__ __device__ inline float runCell(float &soc, float &relax, float demand, float health)
{
    float heat = 0.0f;
    for (int k = 0; k < SUBSTEPS; ++k) {
        float u = openVoltage(soc) - relax;
        float cur = demand * (0.55f - 0.075f * u) * health;       // lower voltage, more current
        soc = fminf(fmaxf(soc - 1.0e-6f * cur, 0.02f), 0.98f);
        relax += 0.03f * (0.012f * cur - relax);
        heat += cur * cur * 0.0021f;
    }
    return heat;
}

__global__ void run_minute(float *soc, float *relax, const float *__restrict__ health, const float *__restrict__ demand,
                           const float *__restrict__ temp, float *__restrict__ tempNew, int strings)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= strings) return;
    int i = y * strings + x;
    float s = soc[i], r = relax[i];
    float heat = runCell(s, r, demand[x], health[i]);
    soc[i] = s;
    relax[i] = r;
    float t = temp[i];
    float around = temp[x > 0 ? i - 1 : i] + temp[x + 1 < strings ? i + 1 : i]
                 + temp[y > 0 ? i - strings : i] + temp[y + 1 < ROWS ? i + strings : i] - 4.0f * t;
    tempNew[i] = t + 0.05f * around + 0.002f * heat - 0.01f * (t - 20.0f);
}

static float demandOf(int string, int minute)
{
    float d = 2.0f;
    for (int c = 0; c < CUSTOMERS; ++c) {
        float phase = 0.013f * (float)minute * (float)(c + 1) + 0.37f * (float)string;
        d += 0.5f * sinf(phase) * expf(-0.1f * (float)c) + 0.1f * cosf(3.0f * phase);
    }
    return d * (minute / 60 % 2 ? -1.0f : 1.0f);
}

int main(int argc, char **argv)
{
    int strings = argc > 1 ? atoi(argv[1]) : 1024;
    int minutes = argc > 2 ? atoi(argv[2]) : 1200;
    const int n = strings * ROWS;
    std::vector<float> soc(n), relax(n, 0.0f), health(n), temp(n, 20.0f);
    unsigned s = 606;
    for (int i = 0; i < n; ++i) { soc[i] = 0.4f + 0.2f * frand(s); health[i] = 0.95f + 0.1f * frand(s); }
    float *dsoc, *drelax, *dhealth, *dtemp[2], *ddemand, *demand;
    CK(cudaMalloc(&dsoc, n * sizeof(float)));
    CK(cudaMalloc(&drelax, n * sizeof(float)));
    CK(cudaMalloc(&dhealth, n * sizeof(float)));
    CK(cudaMalloc(&dtemp[0], n * sizeof(float)));
    CK(cudaMalloc(&dtemp[1], n * sizeof(float)));
    CK(cudaMalloc(&ddemand, strings * sizeof(float)));
    CK(cudaMallocHost(&demand, (size_t)strings * minutes * sizeof(float)));   // kept for the report
    CK(cudaMemcpy(dsoc, soc.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(drelax, relax.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dhealth, health.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dtemp[0], temp.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    const dim3 grid((strings + 127) / 128, ROWS);
    for (int m = 0; m < minutes; ++m) {
        float *now = demand + (size_t)m * strings;
        for (int x = 0; x < strings; ++x) now[x] = demandOf(x, m);
        CK(cudaMemcpyAsync(ddemand, now, strings * sizeof(float), cudaMemcpyHostToDevice));
        run_minute<<<grid, 128>>>(dsoc, drelax, dhealth, ddemand, dtemp[m % 2], dtemp[(m + 1) % 2], strings);
        CK(cudaGetLastError());
#ifndef GOOD
        CK(cudaDeviceSynchronize());                     // the minute is over
#endif
    }
    std::vector<float> gsoc(n), gtemp(n);
    CK(cudaMemcpy(gsoc.data(), dsoc, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(gtemp.data(), dtemp[minutes % 2], n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 6; ++t) {
        int i = (int)((long long)t * (n - 1) / 5);
        float q = soc[i], r = 0.0f;
        for (int m = 0; m < minutes; ++m) runCell(q, r, demand[(size_t)m * strings + i % strings], health[i]);
        ok = ok && close_to(gsoc[i], q, 2e-3) && gtemp[i] > 19.9f && gtemp[i] < 90.0f;
    }
    printf("cell 0: charge %.4f, %.2f degrees\n", gsoc[0], gtemp[0]);
    CK(cudaFree(dsoc)); CK(cudaFree(drelax)); CK(cudaFree(dhealth)); CK(cudaFree(dtemp[0])); CK(cudaFree(dtemp[1]));
    CK(cudaFree(ddemand)); CK(cudaFreeHost(demand));
    return report(ok);
}
