// Dendrometers in an orchard: every tree's trunk diameter is logged each hour for 30 days. For each tree, the mean
// daily shrinkage (largest minus smallest reading of the day), which tells when to irrigate, and the growth.
//   orchardlog [passes]
#include "common.h"

const int TREES = 200000, DAYS = 30, HOURS = 24, LOG = DAYS * HOURS;

__host__ __device__ static inline size_t at(int tree, int hour)
{
#ifdef GOOD
    return (size_t)hour * TREES + tree;
#else
    return (size_t)tree * LOG + hour;
#endif
}

__host__ __device__ static inline float reading(int tree, int hour)
{
    unsigned h = (unsigned)tree * 2654435761u + (unsigned)hour * 40503u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 13;
    return 80.0f + 0.002f * hour + (float)(h & 1023u) * 0.0005f;
}

__global__ void record(float *log)
{
    int tree = blockIdx.x * blockDim.x + threadIdx.x;
    if (tree >= TREES) return;
    for (int hour = 0; hour < LOG; hour++) log[at(tree, hour)] = reading(tree, hour);
}

__global__ void shrinkage(const float *__restrict__ log, float *__restrict__ mds, float *__restrict__ growth)
{
    int tree = blockIdx.x * blockDim.x + threadIdx.x;
    if (tree >= TREES) return;
    float sum = 0, first = 0, top = 0;
    for (int day = 0; day < DAYS; day++) {
        float lo = 1e30f, hi = -1e30f;
#pragma unroll
        for (int h = 0; h < HOURS; h++) {
            float d = log[at(tree, day * HOURS + h)];
            lo = fminf(lo, d);
            hi = fmaxf(hi, d);
        }
        if (day == 0) first = hi;
        top = hi;
        sum += hi - lo;
    }
    mds[tree] = sum / DAYS;
    growth[tree] = top - first;
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 1000;
    float *log, *mds, *growth;
    CK(cudaMalloc(&log, (size_t)TREES * LOG * sizeof(float)));
    CK(cudaMalloc(&mds, TREES * sizeof(float)));
    CK(cudaMalloc(&growth, TREES * sizeof(float)));
    int blocks = (TREES + 127) / 128;
    record<<<blocks, 128>>>(log);
    for (int p = 0; p < passes; p++) shrinkage<<<blocks, 128>>>(log, mds, growth);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> m(TREES), g(TREES);
    CK(cudaMemcpy(m.data(), mds, TREES * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(g.data(), growth, TREES * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int tree = 5; tree < TREES; tree += 997) {
        double sum = 0, first = 0, top = 0;
        for (int day = 0; day < DAYS; day++) {
            float lo = 1e30f, hi = -1e30f;
            for (int h = 0; h < HOURS; h++) {
                float d = reading(tree, day * HOURS + h);
                lo = std::min(lo, d);
                hi = std::max(hi, d);
            }
            if (day == 0) first = hi;
            top = hi;
            sum += hi - lo;
        }
        ok = ok && fabs(m[tree] - sum / DAYS) < 1e-3 && fabs(g[tree] - (top - first)) < 1e-3;
    }
    printf("tree 5 shrinks by %.3f mm a day\n", m[5]);
    return report(ok);
}
