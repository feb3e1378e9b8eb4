// Distribution grid: cost of a week of hourly load for every customer, priced with
// the profile of his class in one week of the year, for each week in turn.
#include "common.h"

const int CUSTOMERS = 1 << 20, HOURS = 168, WEEKS = 52, KINDS = 6;

__host__ __device__ inline unsigned mix(unsigned x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

__host__ __device__ inline float demand(int hour, int customer)
{
    return 0.2f + (mix((unsigned)hour * 0x9e3779b9u + (unsigned)customer) >> 8) * (2.0f / 16777216.0f);
}

__global__ void meter(float *load)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, h = blockIdx.y;
    load[(size_t)h * CUSTOMERS + c] = demand(h, c);
}

__global__ void __launch_bounds__(256)
week_cost(const float *load, const unsigned char *kind, const float *year, int week,
          float *cost, float *peak)
{
    extern __shared__ float profile[];
    const float *from = year + week * HOURS * KINDS;
    for (int k = threadIdx.x; k < HOURS * KINDS; k += blockDim.x) profile[k] = from[k];
    __syncthreads();
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = profile + kind[c];
    float sum = 0.0f, top = 0.0f;
#pragma unroll 4
    for (int h = 0; h < HOURS; h++) {
        const float kw = load[(size_t)h * CUSTOMERS + c];
        sum += kw * p[h * KINDS];
        top = fmaxf(top, kw);
    }
    cost[c] += sum;
    peak[c] = fmaxf(peak[c], top);
}

int main(int argc, char **argv)
{
    const int weeks = argc > 1 ? std::min(atoi(argv[1]), WEEKS) : 40;
#ifdef GOOD
    const size_t room = HOURS * KINDS * sizeof(float);
#else
    const size_t room = (size_t)WEEKS * HOURS * KINDS * sizeof(float);
#endif
    std::vector<unsigned char> kind(CUSTOMERS);
    std::vector<float> year((size_t)WEEKS * HOURS * KINDS);
    unsigned s = 8;
    for (unsigned char &k : kind) k = (unsigned char)((lcg(s) >> 16) % KINDS);
    for (float &y : year) y = 0.05f + 0.4f * frand(s);
    float *dLoad, *dYear, *dCost, *dPeak;
    unsigned char *dKind;
    CK(cudaMalloc(&dLoad, (size_t)HOURS * CUSTOMERS * sizeof(float)));
    CK(cudaMalloc(&dYear, year.size() * sizeof(float)));
    CK(cudaMalloc(&dCost, CUSTOMERS * sizeof(float)));
    CK(cudaMalloc(&dPeak, CUSTOMERS * sizeof(float)));
    CK(cudaMalloc(&dKind, CUSTOMERS));
    CK(cudaMemset(dCost, 0, CUSTOMERS * sizeof(float)));
    CK(cudaMemset(dPeak, 0, CUSTOMERS * sizeof(float)));
    CK(cudaMemcpy(dYear, year.data(), year.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dKind, kind.data(), CUSTOMERS, cudaMemcpyHostToDevice));
    CK(cudaFuncSetAttribute(week_cost, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)room));
    meter<<<dim3(CUSTOMERS / 256, HOURS), 256>>>(dLoad);
    for (int w = 0; w < weeks; w++)
        week_cost<<<CUSTOMERS / 256, 256, room>>>(dLoad, dKind, dYear, w, dCost, dPeak);
    CK(cudaGetLastError());
    std::vector<float> cost(CUSTOMERS), peak(CUSTOMERS);
    CK(cudaMemcpy(cost.data(), dCost, CUSTOMERS * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(peak.data(), dPeak, CUSTOMERS * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c = 3; c < CUSTOMERS; c += 4001) {
        double sum = 0;
        float top = 0;
        for (int h = 0; h < HOURS; h++) {
            const float kw = demand(h, c);
            top = std::max(top, kw);
            for (int w = 0; w < weeks; w++) sum += kw * year[(size_t)(w * HOURS + h) * KINDS + kind[c]];
        }
        ok = ok && close_to(cost[c], sum, 1e-3) && close_to(peak[c], top, 1e-6);
    }
    return report(ok);
}
