// Plant breeding: the vigour of seedlings is predicted from their markers (0, 1 or 2 copies of an allele, two bits each)
// in eight climates; each further good allele adds less than the one before.
// usage: cropvigour thousands-of-pairs-of-plants repetitions
#include "common.h"

#define MARKERS 1024
#define CLIMATES 8
#define TILE 256             // markers whose effects are in shared memory at a time
#define WORDS (MARKERS / 16)
#ifdef GOOD
#define THREADS 128
#define BOUNDS __launch_bounds__(THREADS, 9)
#else
#define THREADS 1024
#define BOUNDS __launch_bounds__(THREADS)
#endif
#define LIMIT 0.1f

__host__ __device__ inline unsigned genotype(unsigned plant, unsigned word)
{
    unsigned h = plant * 2654435761u + word * 2246822519u;
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 13; h *= 2246822519u; h ^= h >> 16;
    return h & ~(h >> 1 & 0x55555555u);                  // 3 becomes 2
}

__global__ void sow(unsigned *dna, int plants)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < plants) dna[(size_t)blockIdx.y * plants + p] = genotype(p, blockIdx.y);
}

// two plants a thread
__global__ void BOUNDS predict(const uint2 *__restrict__ dna, const float *__restrict__ effect, float *__restrict__ vigour,
                               int pairs, float scale)
{
    __shared__ __align__(16) float e[TILE][CLIMATES];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    float a[CLIMATES] = {}, b[CLIMATES] = {};
    for (int tile = 0; tile < MARKERS; tile += TILE) {
        __syncthreads();
        for (int k = threadIdx.x; k < TILE * CLIMATES; k += THREADS) (&e[0][0])[k] = scale * effect[tile * CLIMATES + k];
        __syncthreads();
        #pragma unroll 1
        for (int w = 0; w < TILE / 16; ++w) {
            const uint2 word = dna[(size_t)(tile / 16 + w) * pairs + i];
            #pragma unroll 4
            for (int q = 0; q < 16; ++q) {
                const float4 lo = *(const float4 *)&e[w * 16 + q][0], hi = *(const float4 *)&e[w * 16 + q][4];
                const float x[CLIMATES] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w};
                const float d = (float)(word.x >> (2 * q) & 3u), f = (float)(word.y >> (2 * q) & 3u);
                #pragma unroll
                for (int c = 0; c < CLIMATES; ++c) {
                    a[c] = fmaf(x[c] * d, fmaf(-LIMIT, a[c], 1.0f), a[c]);
                    b[c] = fmaf(x[c] * f, fmaf(-LIMIT, b[c], 1.0f), b[c]);
                }
            }
        }
    }
    #pragma unroll
    for (int c = 0; c < CLIMATES; ++c) ((float2 *)vigour)[(size_t)c * pairs + i] = make_float2(a[c], b[c]);
}

int main(int argc, char **argv)
{
    const int pairs = (argc > 1 ? atoi(argv[1]) : 148) * 1024, reps = argc > 2 ? atoi(argv[2]) : 1500, plants = 2 * pairs;
    std::vector<float> effect(MARKERS * CLIMATES);
    unsigned s = 8;
    for (float &x : effect) x = 0.02f * (frand(s) - 0.3f);
    unsigned *dna; float *de, *vigour;
    CK(cudaMalloc(&dna, (size_t)WORDS * plants * sizeof(unsigned)));
    CK(cudaMalloc(&de, effect.size() * sizeof(float)));
    CK(cudaMalloc(&vigour, (size_t)CLIMATES * plants * sizeof(float)));
    CK(cudaMemcpy(de, effect.data(), effect.size() * sizeof(float), cudaMemcpyHostToDevice));
    sow<<<dim3((plants + 255) / 256, WORDS), 256>>>(dna, plants);
    float scale = 1.0f;
    for (int r = 0; r < reps; ++r) {
        scale = 0.8f + 0.1f * (float)(r % 4);
        predict<<<pairs / THREADS, THREADS>>>((const uint2 *)dna, de, vigour, pairs, scale);
    }
    CK(cudaGetLastError());
    std::vector<float> got((size_t)CLIMATES * plants);
    CK(cudaMemcpy(got.data(), vigour, got.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 200; ++q) {
        int p = (int)((long long)q * (plants - 1) / 199);
        double v[CLIMATES] = {};
        for (int m = 0; m < MARKERS; ++m) {
            int d = genotype(p, m / 16) >> (2 * (m % 16)) & 3;
            for (int c = 0; c < CLIMATES; ++c) v[c] += (double)scale * effect[m * CLIMATES + c] * d * (1.0 - LIMIT * v[c]);
        }
        for (int c = 0; c < CLIMATES; ++c) ok = ok && close_to(got[(size_t)c * plants + p], v[c], 2e-3);
        if (q == 100) printf("plant %d: %.4f (%.4f) in the first climate\n", p, got[p], v[0]);
    }
    CK(cudaFree(dna)); CK(cudaFree(de)); CK(cudaFree(vigour));
    return report(ok);
}
