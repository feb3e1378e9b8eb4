// Allele frequencies of 8 million variants in 16 populations, kept as the file has
// them: a header, then one record a variant. Each individual sums the records of
// the variants that he carries, weighted by population, for a set of weightings.
#include "common.h"

const int VARIANTS = 1 << 23, POPS = 16, PEOPLE = 1 << 19, CARRIED = 64;

#ifdef GOOD
const int HEADER = 32;    // floats before the first record
#else
const int HEADER = 4;
#endif

__host__ __device__ inline unsigned mix(unsigned x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

__host__ __device__ inline float frequency(int variant, int pop)
{
    return (mix((unsigned)variant * POPS + pop) >> 8) * (1.0f / 16777216.0f);
}

__host__ __device__ inline int carried(int person, int k)
{
    return (int)(mix(0x51ed270bu + (unsigned)person * CARRIED + k) % VARIANTS);
}

__global__ void load_shelf(float *file)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    file[HEADER + i] = frequency(i / POPS, i % POPS);
}

__global__ void load_people(int *variants)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    variants[i] = carried(i / CARRIED, i % CARRIED);
}

// 16 lanes a person, one lane a population
__global__ void __launch_bounds__(256)
ancestry(const float *records, const int *variants, const float *weight, float *profile)
{
    const int person = (blockIdx.x * blockDim.x + threadIdx.x) / POPS, pop = threadIdx.x % POPS;
    const int *mine = variants + (size_t)person * CARRIED;
    float sum = 0.0f;
    for (int k = 0; k < CARRIED; k += POPS) {
        const int id = mine[k + pop];
#pragma unroll
        for (int j = 0; j < POPS; j++)
            sum += records[(size_t)__shfl_sync(0xffffffffu, id, j, POPS) * POPS + pop];
    }
    profile[(size_t)person * POPS + pop] = sum * weight[pop];
}

int main(int argc, char **argv)
{
    const int sets = argc > 1 ? atoi(argv[1]) : 16;
    std::vector<float> weight((size_t)sets * POPS);
    unsigned s = 19;
    for (float &w : weight) w = 0.5f + frand(s);
    float *dFile, *dWeight, *dProfile;
    int *dVariants;
    CK(cudaMalloc(&dFile, ((size_t)VARIANTS * POPS + HEADER) * sizeof(float)));
    CK(cudaMalloc(&dWeight, weight.size() * sizeof(float)));
    CK(cudaMalloc(&dProfile, (size_t)PEOPLE * POPS * sizeof(float)));
    CK(cudaMalloc(&dVariants, (size_t)PEOPLE * CARRIED * sizeof(int)));
    CK(cudaMemset(dFile, 0, HEADER * sizeof(float)));
    CK(cudaMemcpy(dWeight, weight.data(), weight.size() * sizeof(float), cudaMemcpyHostToDevice));
    load_shelf<<<VARIANTS / 256 * POPS, 256>>>(dFile);
    load_people<<<PEOPLE / 256 * CARRIED, 256>>>(dVariants);
    for (int k = 0; k < sets; k++)
        ancestry<<<PEOPLE / 256 * POPS, 256>>>(dFile + HEADER, dVariants, dWeight + k * POPS, dProfile);
    CK(cudaGetLastError());
    const int from = 300001, some = 4096;
    std::vector<float> profile((size_t)some * POPS);
    CK(cudaMemcpy(profile.data(), dProfile + (size_t)from * POPS, profile.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int p = 0; p < some; p += 9)
        for (int pop = 0; pop < POPS; pop++) {
            double ref = 0;
            for (int k = 0; k < CARRIED; k++) ref += frequency(carried(from + p, k), pop);
            ok = ok && close_to(profile[(size_t)p * POPS + pop], ref * weight[(size_t)(sets - 1) * POPS + pop], 1e-4);
        }
    return report(ok);
}
