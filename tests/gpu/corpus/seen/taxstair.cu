// Income tax from the printed table: the table has a line for every step of income with the tax at its lower end and
// the rate within the step; all households of a country are assessed under variants of the allowance.
// usage: taxstair households repetitions
#include "common.h"

#define LINES 4096
#define STEP 32.0f           // income between two lines
#define THREADS 512

__host__ __device__ inline float incomeOf(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return 2000.0f + (float)(h & 0xffff) * 1.75f;
}

__host__ __device__ inline int lineOf(float income) { return min((int)(income * (1.0f / STEP)), LINES - 1); }

__constant__ float2 stair[LINES];

__global__ void census(float *income, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) income[i] = incomeOf(i);
}

__device__ inline float owed(const float2 *lines, float income, float allowance)
{
    float x = fmaxf(income - allowance, 0.0f);
    int l = lineOf(x);
    float2 v = lines[l];
    return v.x + v.y * (x - STEP * (float)l);
}

__global__ void __launch_bounds__(THREADS) assess(const float4 *__restrict__ income, float4 *__restrict__ tax,
                                                  const float2 *__restrict__ table, float allowance, int n4)
{
#ifdef GOOD
    __shared__ float2 lines[LINES];
    for (int l = threadIdx.x; l < LINES; l += THREADS) lines[l] = table[l];
    __syncthreads();
#else
    const float2 *lines = stair;
#endif
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n4; i += gridDim.x * THREADS) {
        float4 x = income[i], t;
        t.x = owed(lines, x.x, allowance);
        t.y = owed(lines, x.y, allowance);
        t.z = owed(lines, x.z, allowance);
        t.w = owed(lines, x.w, allowance);
        tax[i] = t;
    }
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 33554432) / 4 * 4, reps = argc > 2 ? atoi(argv[2]) : 900;
    std::vector<float2> line(LINES);
    float sum = 0.0f;
    for (int l = 0; l < LINES; ++l) {
        float rate = l < 300 ? 0.0f : l < 2000 ? 0.14f + (float)(l - 300) * (0.28f / 1700.0f) : 0.42f;
        line[l] = make_float2(sum, rate);
        sum += rate * STEP;
    }
    CK(cudaMemcpyToSymbol(stair, line.data(), LINES * sizeof(float2)));
    float *income, *tax; float2 *table;
    CK(cudaMalloc(&income, n * sizeof(float)));
    CK(cudaMalloc(&tax, n * sizeof(float)));
    CK(cudaMalloc(&table, LINES * sizeof(float2)));
    CK(cudaMemcpy(table, line.data(), LINES * sizeof(float2), cudaMemcpyHostToDevice));
    census<<<(n + 255) / 256, 256>>>(income, n);
    float allowance = 0.0f;
    for (int r = 0; r < reps; ++r) {
        allowance = 100.0f * (float)(r % 12);
        assess<<<132 * 4, THREADS>>>((const float4 *)income, (float4 *)tax, table, allowance, n / 4);
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), tax, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < n; i += 1009) {
        float x = std::max(incomeOf(i) - allowance, 0.0f);
        int l = lineOf(x);
        ok = ok && fabs(got[i] - (line[l].x + line[l].y * (x - STEP * (float)l))) < 0.05;
    }
    printf("household 0 has %.2f and owes %.2f\n", incomeOf(0), got[0]);
    CK(cudaFree(income)); CK(cudaFree(tax)); CK(cudaFree(table));
    return report(ok);
}
