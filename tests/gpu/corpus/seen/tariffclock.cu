// Smart meters: what each reading would have saved under the cheapest of many
// cyclic tariffs (each with its own cycle and slot length), for new price sheets.
#include "common.h"

const int READINGS = 1 << 25, MAXT = 48, SLOTS = 64;

struct Tariff {
    unsigned cycle, slot;
#ifdef GOOD
    unsigned mulCycle, shCycle, mulSlot, shSlot;
#endif
};
__constant__ Tariff book[MAXT];

#ifdef GOOD
// exact for n < 2^31 and d > 1
static void reciprocal(unsigned d, unsigned &mul, unsigned &sh)
{
    unsigned l = 0;
    while ((1ull << l) < d) l++;
    mul = (unsigned)(((1ull << (31 + l)) + d - 1) / d);
    sh = l - 1;
}
#endif

__device__ inline unsigned slot_of(const Tariff &p, unsigned minute)
{
#ifdef GOOD
    const unsigned phase = minute - (__umulhi(minute, p.mulCycle) >> p.shCycle) * p.cycle;
    return __umulhi(phase, p.mulSlot) >> p.shSlot;
#else
    return minute % p.cycle / p.slot;
#endif
}

__host__ __device__ inline unsigned mix(unsigned x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

__host__ __device__ inline void reading(int i, unsigned &minute, float &kwh)
{
    const unsigned r = mix((unsigned)i);
    minute = 9000000u + (i % 35040) * 15u + (r >> 30);
    kwh = 0.1f + 0.001f * (r & 1023);
}

__global__ void collect(unsigned *minute, float *kwh)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    reading(i, minute[i], kwh[i]);
}

__global__ void cheapest(const unsigned *minute, const float *kwh, const float *sheet,
                         int tariffs, int current, float *saving)
{
    __shared__ float price[MAXT * SLOTS];
    for (int k = threadIdx.x; k < tariffs * SLOTS; k += blockDim.x) price[k] = sheet[k];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < READINGS; i += gridDim.x * blockDim.x) {
        const unsigned m = minute[i];
        float low = 1e30f;
        for (int t = 0; t < tariffs; t++)
            low = fminf(low, price[t * SLOTS + slot_of(book[t], m)]);
        const float now = price[current * SLOTS + slot_of(book[current], m)];
        saving[i] = kwh[i] * (now - low);
    }
}

int main(int argc, char **argv)
{
    const int sheets = argc > 1 ? atoi(argv[1]) : 16;
    unsigned s = 77;
    std::vector<Tariff> tariffs(MAXT);
    for (int t = 0; t < MAXT; t++) {
        tariffs[t].slot = 23 + (lcg(s) >> 24) % 41;
        tariffs[t].cycle = tariffs[t].slot * (24 + (lcg(s) >> 24) % 40) - (lcg(s) >> 24) % 20;
#ifdef GOOD
        reciprocal(tariffs[t].cycle, tariffs[t].mulCycle, tariffs[t].shCycle);
        reciprocal(tariffs[t].slot, tariffs[t].mulSlot, tariffs[t].shSlot);
#endif
    }
    std::vector<float> sheet((size_t)sheets * MAXT * SLOTS);
    for (float &p : sheet) p = 0.08f + 0.3f * frand(s);
    unsigned *dMinute;
    float *dKwh, *dSheet, *dSaving;
    CK(cudaMalloc(&dMinute, READINGS * sizeof(unsigned)));
    CK(cudaMalloc(&dKwh, READINGS * sizeof(float)));
    CK(cudaMalloc(&dSaving, READINGS * sizeof(float)));
    CK(cudaMalloc(&dSheet, sheet.size() * sizeof(float)));
    CK(cudaMemcpyToSymbol(book, tariffs.data(), MAXT * sizeof(Tariff)));
    CK(cudaMemcpy(dSheet, sheet.data(), sheet.size() * sizeof(float), cudaMemcpyHostToDevice));
    collect<<<READINGS / 256, 256>>>(dMinute, dKwh);
    for (int d = 0; d < sheets; d++)
        cheapest<<<132 * 8, 256>>>(dMinute, dKwh, dSheet + (size_t)d * MAXT * SLOTS, MAXT, d % MAXT, dSaving);
    CK(cudaGetLastError());
    const int from = READINGS / 3, some = 1 << 17;
    std::vector<float> saving(some);
    CK(cudaMemcpy(saving.data(), dSaving + from, some * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    const float *last = &sheet[(size_t)(sheets - 1) * MAXT * SLOTS];
    for (int i = 0; i < some; i += 13) {
        float low = 1e30f, now = 0, kwh;
        unsigned minute;
        reading(from + i, minute, kwh);
        for (int t = 0; t < MAXT; t++) {
            const float p = last[t * SLOTS + minute % tariffs[t].cycle / tariffs[t].slot];
            low = std::min(low, p);
            if (t == (sheets - 1) % MAXT) now = p;
        }
        ok = ok && close_to(saving[i], kwh * (now - low), 1e-5);
    }
    return report(ok);
}
