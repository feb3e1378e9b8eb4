// Self-consistent field of a toy molecule: the integrals are a matrix over pairs of orbitals, and the density of
// every pair is driven by the sum over all the others. Damped iteration until nothing changes any more.
// usage: fockstore orbitals iterations
#include "common.h"

#define DAMP 0.3f

static inline float integral(size_t i)
{
    unsigned h = (unsigned)i * 2654435761u ^ (unsigned)(i >> 16) * 40503u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return ((int)(h >> 8) - (1 << 23)) * (0.003f / (1 << 23));
}
__host__ __device__ inline float core(int pair) { return 0.2f + 0.6f * ((pair * 37) % 101) / 101.0f; }
__host__ __device__ inline float occupy(float f) { return f / (1.0f + fabsf(f)); }

// a warp per row
__global__ void __launch_bounds__(256) iterate(const float4 *__restrict__ integrals, const float *__restrict__ density,
                                               float *__restrict__ next, int pairs)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= pairs) return;
    const float4 *r = integrals + (size_t)row * (pairs / 4), *d = (const float4 *)density;
    float sum = 0.0f;
#pragma unroll 4
    for (int j = lane; j < pairs / 4; j += 32) {
        float4 a = r[j], b = d[j];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) next[row] = (1.0f - DAMP) * density[row] + DAMP * occupy(core(row) + sum);
}

int main(int argc, char **argv)
{
    int orbitals = argc > 1 ? atoi(argv[1]) : 96;        // even
    int iterations = argc > 2 ? atoi(argv[2]) : 170;
    int pairs = orbitals * orbitals;
    size_t n = (size_t)pairs * pairs, bytes = n * sizeof(float);
    float *store;
    CK(cudaHostAlloc((void **)&store, bytes, cudaHostAllocMapped));
    for (size_t i = 0; i < n; i++) store[i] = integral(i);
    float *integrals, *density, *next;
#ifdef GOOD
    CK(cudaMalloc(&integrals, bytes));
    CK(cudaMemcpy(integrals, store, bytes, cudaMemcpyHostToDevice));
#else
    CK(cudaHostGetDevicePointer((void **)&integrals, store, 0));
#endif
    CK(cudaMalloc(&density, pairs * sizeof(float)));
    CK(cudaMalloc(&next, pairs * sizeof(float)));
    CK(cudaMemset(density, 0, pairs * sizeof(float)));
    for (int it = 0; it < iterations; it++) {
        iterate<<<(pairs + 7) / 8, 256>>>((const float4 *)integrals, density, next, pairs);
        std::swap(density, next);
    }
    CK(cudaGetLastError());
    std::vector<float> d(pairs);
    CK(cudaMemcpy(d.data(), density, pairs * sizeof(float), cudaMemcpyDeviceToHost));

    // it has come to rest (with few iterations: nearly)
    bool ok = true;
    double worst = 0;
    for (int row = 0; row < pairs; row += 97) {
        double sum = core(row);
        for (int j = 0; j < pairs; j++) sum += (double)store[(size_t)row * pairs + j] * d[j];
        worst = std::max(worst, fabs(sum / (1 + fabs(sum)) - d[row]));
    }
    printf("density of pair 0: %.5f, off by at most %.2g\n", d[0], worst);
    ok = worst < 1e-4 + 2.0 * pow(0.85, iterations);
#ifdef GOOD
    CK(cudaFree(integrals));
#endif
    CK(cudaFreeHost(store)); CK(cudaFree(density)); CK(cudaFree(next));
    return report(ok);
}
