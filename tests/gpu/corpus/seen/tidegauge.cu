// Tide tables for a chain of gauges along a coast: height = sum over the constituents of
// amplitude * cos(speed * t - lag), where every gauge has its own amplitude and lag.
// usage: tidegauge SAMPLES YEARS
#include "common.h"

const int GAUGES = 64;
const int PARTS = 37;                      // tidal constituents

struct Harmonic { float amp, lag; };       // metres; turns

__constant__ float speed[PARTS];           // turns per hour
#ifdef GOOD
__device__ Harmonic harm[PARTS][GAUGES];
#else
__constant__ Harmonic harm[PARTS][GAUGES];
#endif

__global__ void predict(float *__restrict__ height, int samples, float node)
{
    int g = threadIdx.x, i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= samples) return;
    float hour = 0.1f * i, h = 0.0f;
    for (int k = 0; k < PARTS; k++) {
        Harmonic part = harm[k][g];
        h += part.amp * cospif(2.0f * (speed[k] * hour - part.lag));
    }
    height[(size_t)i * GAUGES + g] = node * h;
}

// number of samples above the quay, per gauge
__global__ void flooded(const float *__restrict__ height, unsigned *count, int samples, float quay)
{
    int g = threadIdx.x, first = (blockIdx.x * blockDim.y + threadIdx.y) * 64;
    unsigned over = 0;
#pragma unroll 8
    for (int i = first; i < first + 64; i++)
        if (i < samples && height[(size_t)i * GAUGES + g] > quay) over++;
    if (over) atomicAdd(&count[g], over);
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 87600;     // ten a hour
    int years = argc > 2 ? atoi(argv[2]) : 500;
    float nu[PARTS];
    std::vector<Harmonic> table(PARTS * GAUGES);
    unsigned s = 1831;
    for (int k = 0; k < PARTS; k++) {
        nu[k] = (float)(0.0805 / (1 + k / 6) + 0.0007 * (k % 6) + 1e-5 * k);
        for (int g = 0; g < GAUGES; g++) {
            table[k * GAUGES + g].amp = (1.5f + frand(s)) / (1 + k);
            table[k * GAUGES + g].lag = frand(s);
        }
    }
    CK(cudaMemcpyToSymbol(speed, nu, sizeof nu));
    CK(cudaMemcpyToSymbol(harm, table.data(), table.size() * sizeof(Harmonic)));

    float *dheight;
    unsigned *dcount;
    size_t n = (size_t)samples * GAUGES;
    CK(cudaMalloc(&dheight, n * sizeof(float)));
    CK(cudaMalloc(&dcount, GAUGES * sizeof(unsigned)));
    CK(cudaMemset(dcount, 0, GAUGES * sizeof(unsigned)));

    dim3 block(GAUGES, 4);
    float node = 1.0f;
    for (int y = 0; y < years; y++) {
        node = (float)(1.0 + 0.037 * cos(2 * 3.14159265 * y / 18.6));
        predict<<<(samples + 3) / 4, block>>>(dheight, samples, node);
        flooded<<<(samples + 255) / 256, block>>>(dheight, dcount, samples, 2.0f);
    }
    CK(cudaGetLastError());
    std::vector<float> height(n);
    std::vector<unsigned> count(GAUGES);
    CK(cudaMemcpy(height.data(), dheight, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(count.data(), dcount, GAUGES * sizeof(unsigned), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 200; q++) {
        int i = (int)((long long)q * (samples - 1) / 199), g = q * 7 % GAUGES;
        double h = 0, hour = 0.1f * i;
        for (int k = 0; k < PARTS; k++)
            h += table[k * GAUGES + g].amp * cos(2 * 3.14159265358979 * ((double)nu[k] * hour - table[k * GAUGES + g].lag));
        h *= node;
        float got = height[(size_t)i * GAUGES + g];
        if (q % 50 == 0) printf("hour %.1f gauge %d: %.4f (%.4f)\n", hour, g, got, h);
        if (!close_to(got, h, 1e-2)) ok = false;
    }
    printf("gauge 0 over the quay: %u samples\n", count[0]);
    for (int g = 0; g < GAUGES; g++) if (count[g] > (unsigned)samples * (unsigned)years) ok = false;
    CK(cudaFree(dheight)); CK(cudaFree(dcount));
    return report(ok);
}
