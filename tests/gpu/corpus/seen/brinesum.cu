// Energy of a droplet of brine: Coulomb and soft repulsion, summed over every pair of ions once (j < i).
// One block of 1024 threads for each multiprocessor; every thread looks after four ions.
#include "common.h"

static const int T = 1024;

__host__ __device__ inline float4 ion(unsigned i)
{
    unsigned a = i * 2654435761u, b = (i + 77u) * 0x85EBCA6Bu;
    a ^= a >> 15; a *= 0x2C1B3C6Du; a ^= a >> 13;
    b ^= b >> 14; b *= 0xC2B2AE35u; b ^= b >> 16;
    return make_float4((a & 0xffff) / 1024.0f, (a >> 16) / 1024.0f, (b & 0xffff) / 1024.0f, (b >> 16) & 1 ? 1.0f : -1.0f);
}

__global__ void place(float4 *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = ion(i);
}

__device__ inline float pair_energy(float4 a, float4 b, float box)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    float r = rsqrtf(box * (dx * dx + dy * dy + dz * dz) + 0.05f);
    float r3 = r * r * r;
    return a.w * b.w * r + 0.01f * r3 * r3;
}

// energy of the ions base .. base + T - 1 with all ions before them
__device__ void rows(const float4 *__restrict__ p, float *e, int base, float box, float4 *tile)
{
    const int t = threadIdx.x;
    const float4 me = p[base + t];
    float total = 0.0f;
    for (int j0 = 0; j0 <= base; j0 += T) {
        __syncthreads();
        tile[t] = p[j0 + t];
        __syncthreads();
        const int upto = j0 < base ? T : t;
        float part = 0.0f;
        for (int j = 0; j < upto; ++j) part += pair_energy(me, tile[j], box);
        total += part;
    }
    e[base + t] = total;
}

__global__ void __launch_bounds__(T) energy(const float4 *__restrict__ p, float *e, float box)
{
    __shared__ float4 tile[T];
    const int b = blockIdx.x;
#ifdef GOOD
    const int blocks = gridDim.x;
    const int part[4] = {b, 2 * blocks - 1 - b, 2 * blocks + b, 4 * blocks - 1 - b};
#else
    const int part[4] = {4 * b, 4 * b + 1, 4 * b + 2, 4 * b + 3};
#endif
#pragma unroll
    for (int k = 0; k < 4; ++k) rows(p, e, part[k] * T, box, tile);
}

int main(int argc, char **argv)
{
    int volumes = argc > 1 ? atoi(argv[1]) : 1;
    cudaDeviceProp prop;
    CK(cudaGetDeviceProperties(&prop, 0));
    const int blocks = prop.multiProcessorCount, n = blocks * 4 * T;
    float4 *p;
    float *e;
    CK(cudaMalloc(&p, sizeof(float4) * n));
    CK(cudaMalloc(&e, sizeof(float) * n));
    place<<<(n + 255) / 256, 256>>>(p, n);
    float box = 1.0f;
    for (int v = 0; v < volumes; ++v) {
        box = 1.0f + 0.1f * v;
        energy<<<blocks, T>>>(p, e, box);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(n);
    CK(cudaMemcpy(h.data(), e, sizeof(float) * n, cudaMemcpyDeviceToHost));
    bool ok = h[0] == 0.0f;
    for (int i : {1, 1023, 1024, 5000, n / 2, n - 1}) {
        double want = 0;
        float4 a = ion(i);
        for (int j = 0; j < i; ++j) {
            float4 b = ion(j);
            double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
            double r = 1.0 / sqrt(box * (dx * dx + dy * dy + dz * dz) + 0.05);
            want += a.w * b.w * r + 0.01 * pow(r, 6);
        }
        ok = ok && close_to(h[i], want, 5e-3);
    }
    CK(cudaFree(p)); CK(cudaFree(e));
    return report(ok);
}
