// Electrostatic energy of molecules of eight atoms: pairs of atoms of different molecules,
// each pair once.
//   trisum [configurations]
#include "common.h"

const int BLOCKS = 132, THREADS = 1024, ATOMS = 8;

__global__ void arrange(float4 *a, int n, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = i * 2654435761u ^ seed * 40503u;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    a[i] = make_float4(h & 1023, h >> 10 & 1023, h >> 20 & 1023, 0.5f + (i & 3) * 0.25f);
}

__device__ void molecule(const float4 *__restrict__ a, int m, float &energy)
{
    float4 own[ATOMS];
#pragma unroll
    for (int k = 0; k < ATOMS; k++) own[k] = a[m * ATOMS + k];
    float e = 0;
    for (int j = threadIdx.x; j < m * ATOMS; j += THREADS) {
        float4 p = a[j];
        float s = 0;
#pragma unroll
        for (int k = 0; k < ATOMS; k++) {
            float dx = own[k].x - p.x, dy = own[k].y - p.y, dz = own[k].z - p.z;
            s += own[k].w * rsqrtf(dx * dx + dy * dy + dz * dz + 1.0f);
        }
        e += s * p.w;
    }
    energy += e;
}

__global__ void __launch_bounds__(THREADS) energy(const float4 *__restrict__ a, int molecules, double *total)
{
    float e = 0;
#ifndef GOOD
    int share = (molecules + BLOCKS - 1) / BLOCKS, first = blockIdx.x * share;
    for (int m = first; m < min(first + share, molecules); m++) molecule(a, m, e);
#else
    for (int m = blockIdx.x; m < molecules; m += BLOCKS) molecule(a, m, e);
#endif
    double d = e;
    for (int o = 16; o; o >>= 1) d += __shfl_down_sync(~0u, d, o);
    if (threadIdx.x % 32 == 0) atomicAdd(total, d);
}

int main(int argc, char **argv)
{
    int configurations = argc > 1 ? atoi(argv[1]) : 20;
    const int n = 131072;
    float4 *a;
    double *total, h;
    CK(cudaMalloc(&a, n * sizeof(float4)));
    CK(cudaMalloc(&total, sizeof(double)));
    CK(cudaMemset(total, 0, sizeof(double)));
    for (int c = 0; c < configurations; c++) {
        arrange<<<n / 256, 256>>>(a, n, c);
        energy<<<BLOCKS, THREADS>>>(a, n / ATOMS, total);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(&h, total, sizeof h, cudaMemcpyDeviceToHost));
    printf("mean energy %.4e\n", h / configurations);
    return report(h > 0);
}
