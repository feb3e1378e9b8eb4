// Electrostatic energy of rigid molecules with eight charged sites: each molecule with
// all molecules before it. One launch, a block of 1024 threads per SM.
#include "common.h"

#define SITES 8
#define BLOCKS 132

__global__ void __launch_bounds__(1024) energy(const float4 *__restrict__ site, float *__restrict__ e, int mols)
{
    __shared__ float4 mine[SITES];
    __shared__ float part[32];
    int per = mols / gridDim.x;
    for (int k = 0; k < per; k++) {
#ifdef GOOD
        int m = k * gridDim.x + blockIdx.x;
#else
        int m = blockIdx.x * per + k;
#endif
        if (threadIdx.x < SITES) mine[threadIdx.x] = site[m * SITES + threadIdx.x];
        __syncthreads();
        float s = 0.f;
        for (int j = threadIdx.x; j < m * SITES; j += blockDim.x) {
            float4 o = site[j];
#pragma unroll
            for (int i = 0; i < SITES; i++) {
                float dx = o.x - mine[i].x, dy = o.y - mine[i].y, dz = o.z - mine[i].z;
                s += o.w * mine[i].w * rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            }
        }
        for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
        __syncthreads();
        if (threadIdx.x < 32) {
            s = part[threadIdx.x];
            for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
            if (threadIdx.x == 0) e[m] = s;
        }
    }
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 1;
    const int mols = BLOCKS * 256;
    std::vector<float4> site(mols * SITES);
    unsigned seed = 8;
    for (int m = 0; m < mols; m++) {
        float x = 60 * frand(seed), y = 60 * frand(seed), z = 60 * frand(seed);
        for (int i = 0; i < SITES; i++)
            site[m * SITES + i] = make_float4(x + frand(seed), y + frand(seed), z + frand(seed), i % 4 == 3 ? 0.5f : 0.1f);
    }
    float4 *ds;
    float *de;
    CK(cudaMalloc(&ds, site.size() * sizeof(float4)));
    CK(cudaMalloc(&de, mols * 4));
    CK(cudaMemcpy(ds, site.data(), site.size() * sizeof(float4), cudaMemcpyHostToDevice));
    for (int f = 0; f < frames; f++) energy<<<BLOCKS, 1024>>>(ds, de, mols);
    CK(cudaGetLastError());
    std::vector<float> e(mols);
    CK(cudaMemcpy(e.data(), de, mols * 4, cudaMemcpyDeviceToHost));
    bool ok = e[0] == 0.f;
    for (int m = 100; m < mols; m += 5003) {
        double s = 0;
        for (int j = 0; j < m * SITES; j++)
            for (int i = 0; i < SITES; i++) {
                float4 a = site[j], b = site[m * SITES + i];
                double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
                s += a.w * b.w / sqrt(dx * dx + dy * dy + dz * dz + 0.01);
            }
        ok = ok && close_to(e[m], s, 2e-3);
    }
    CK(cudaFree(ds)); CK(cudaFree(de));
    return report(ok);
}
