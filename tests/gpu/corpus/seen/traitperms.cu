// Permutation test of a genome-wide association study: imputed dosages of all variants for 256 people, six traits.
// In every permutation the people's trait values are handed on around the circle; for each variant the largest
// association with any trait that chance brings is kept.
// usage: traitperms variants permutations
#include "common.h"

#define PEOPLE 256
#define TRAITS 6
#define THREADS 128

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline float dosageOf(unsigned person, unsigned variant)
{
    return (float)(scramble(variant * 256u + person) >> 8) * (2.0f / 16777216.0f);
}

__global__ void impute(float *dosage, unsigned variants)
{
    for (unsigned v = blockIdx.x * blockDim.x + threadIdx.x; v < variants; v += gridDim.x * blockDim.x)
        dosage[(size_t)blockIdx.y * variants + v] = dosageOf(blockIdx.y, v);
}

__device__ inline void gain(float4 &sum, float y, float4 d)
{
    sum.x += y * d.x; sum.y += y * d.y; sum.z += y * d.z; sum.w += y * d.w;
}

__device__ inline void keep(float4 &top, float4 s)
{
    top.x = fmaxf(top.x, fabsf(s.x)); top.y = fmaxf(top.y, fabsf(s.y));
    top.z = fmaxf(top.z, fabsf(s.z)); top.w = fmaxf(top.w, fabsf(s.w));
}

// four variants a thread
__global__ void permute(const float4 *__restrict__ dosage, const float *__restrict__ trait, float4 *__restrict__ best,
                        unsigned quads, int shift)
{
    __shared__ float y[PEOPLE][TRAITS];
    for (int i = threadIdx.x; i < PEOPLE * TRAITS; i += THREADS)
        y[i / TRAITS][i % TRAITS] = trait[(i / TRAITS + shift) % PEOPLE * TRAITS + i % TRAITS];
    __syncthreads();
    const unsigned q = blockIdx.x * THREADS + threadIdx.x;
    if (q >= quads) return;
    float4 top = best[q];
#ifdef GOOD
    float4 sum[TRAITS] = {};
    #pragma unroll 4
    for (int i = 0; i < PEOPLE; ++i) {
        float4 d = dosage[(size_t)i * quads + q];
        #pragma unroll
        for (int t = 0; t < TRAITS; ++t) gain(sum[t], y[i][t], d);
    }
    #pragma unroll
    for (int t = 0; t < TRAITS; ++t) keep(top, sum[t]);
#else
    for (int t = 0; t < TRAITS; ++t) {
        float4 sum = {};
        #pragma unroll 8
        for (int i = 0; i < PEOPLE; ++i) gain(sum, y[i][t], dosage[(size_t)i * quads + q]);
        keep(top, sum);
    }
#endif
    best[q] = top;
}

int main(int argc, char **argv)
{
    unsigned variants = (argc > 1 ? atoi(argv[1]) : 2162688) / 4 * 4, quads = variants / 4;
    int permutations = argc > 2 ? atoi(argv[2]) : 300;
    unsigned s = 23;
    std::vector<float> trait(PEOPLE * TRAITS);
    for (int t = 0; t < TRAITS; ++t) {
        double mean = 0;
        for (int i = 0; i < PEOPLE; ++i) mean += trait[i * TRAITS + t] = frand(s) + frand(s) * (float)(t + 1) * 0.2f;
        for (int i = 0; i < PEOPLE; ++i) trait[i * TRAITS + t] -= (float)(mean / PEOPLE);
    }
    float *dosage, *dtrait, *best;
    CK(cudaMalloc(&dosage, (size_t)PEOPLE * variants * sizeof(float)));
    CK(cudaMalloc(&dtrait, trait.size() * sizeof(float)));
    CK(cudaMalloc(&best, variants * sizeof(float)));
    CK(cudaMemset(best, 0, variants * sizeof(float)));
    CK(cudaMemcpy(dtrait, trait.data(), trait.size() * sizeof(float), cudaMemcpyHostToDevice));
    impute<<<dim3(64, PEOPLE), 256>>>(dosage, variants);
    for (int p = 0; p < permutations; ++p)
        permute<<<(quads + THREADS - 1) / THREADS, THREADS>>>((const float4 *)dosage, dtrait, (float4 *)best, quads,
                                                              1 + p % (PEOPLE - 1));
    CK(cudaGetLastError());
    std::vector<float> b(variants);
    CK(cudaMemcpy(b.data(), best, variants * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int k = 0; k < 40; ++k) {
        unsigned v = (unsigned)((unsigned long long)k * (variants - 1) / 39);
        double top = 0;
        for (int p = 0; p < std::min(permutations, PEOPLE - 1); ++p)
            for (int t = 0; t < TRAITS; ++t) {
                double sum = 0;
                for (int i = 0; i < PEOPLE; ++i)
                    sum += (double)trait[(i + 1 + p) % PEOPLE * TRAITS + t] * dosageOf((unsigned)i, v);
                top = std::max(top, fabs(sum));
            }
        ok = ok && close_to(b[v], top, 1e-3);
    }
    printf("variant 0: %.4f by chance\n", b[0]);
    CK(cudaFree(dosage)); CK(cudaFree(dtrait)); CK(cudaFree(best));
    return report(ok);
}
