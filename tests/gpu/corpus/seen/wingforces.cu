// CFD post-processing: lift, drag and side force of a wing from the pressures on its surface panels.
#include "common.h"

const int NF = 8 << 20;

__host__ __device__ inline float unit(unsigned f, unsigned salt)
{
    unsigned h = f * 2654435761u + salt * 0x9e3779b9u;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    return (h >> 8) * (1.0f / 16777216.0f);
}
__host__ __device__ inline float panel_p(unsigned f) { return 0.5f + unit(f, 1); }
__host__ __device__ inline float panel_n(unsigned f, int c) { return (unit(f, 2 + c) - 0.3f - 0.1f * c) * 1e-4f; }

__global__ void solution(float *p, float *nx, float *ny, float *nz)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    p[f] = panel_p(f);
    nx[f] = panel_n(f, 0);
    ny[f] = panel_n(f, 1);
    nz[f] = panel_n(f, 2);
}

__global__ void forces(const float *__restrict__ p, const float *__restrict__ nx, const float *__restrict__ ny,
                       const float *__restrict__ nz, float *force)
{
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int f = blockIdx.x * blockDim.x + threadIdx.x; f < NF; f += gridDim.x * blockDim.x) {
        float q = p[f];
        fx += q * nx[f];
        fy += q * ny[f];
        fz += q * nz[f];
    }
#ifdef GOOD
    __shared__ float w[3][8];
    for (int d = 16; d; d >>= 1) {
        fx += __shfl_down_sync(~0u, fx, d);
        fy += __shfl_down_sync(~0u, fy, d);
        fz += __shfl_down_sync(~0u, fz, d);
    }
    if (threadIdx.x % 32 == 0) {
        w[0][threadIdx.x / 32] = fx;
        w[1][threadIdx.x / 32] = fy;
        w[2][threadIdx.x / 32] = fz;
    }
    __syncthreads();
    if (threadIdx.x < 3) {
        float s = 0.0f;
        for (int k = 0; k < 8; k++) s += w[threadIdx.x][k];
        atomicAdd(&force[threadIdx.x], s);
    }
#else
    atomicAdd(&force[0], fx);
    atomicAdd(&force[1], fy);
    atomicAdd(&force[2], fz);
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 400;
    float *p, *nx, *ny, *nz, *force;
    for (float **a : {&p, &nx, &ny, &nz}) CK(cudaMalloc(a, (size_t)NF * 4));
    CK(cudaMalloc(&force, steps * 3 * sizeof(float)));
    CK(cudaMemset(force, 0, steps * 3 * sizeof(float)));
    solution<<<NF / 256, 256>>>(p, nx, ny, nz);
    CK(cudaGetLastError());
    for (int s = 0; s < steps; s++)
        forces<<<132 * 8, 256>>>(p, nx, ny, nz, force + s * 3);
    CK(cudaGetLastError());
    std::vector<float> got(steps * 3);
    CK(cudaMemcpy(got.data(), force, got.size() * 4, cudaMemcpyDeviceToHost));
    double want[3] = {0, 0, 0};
    for (int f = 0; f < NF; f++)
        for (int c = 0; c < 3; c++) want[c] += (double)panel_p(f) * panel_n(f, c);
    bool ok = true;
    for (int s = 0; s < steps; s += std::max(1, steps / 7))
        for (int c = 0; c < 3; c++) ok = ok && fabs(got[s * 3 + c] - want[c]) <= 2e-3 * fabs(want[c]) + 0.05;
    for (float *a : {p, nx, ny, nz}) CK(cudaFree(a));
    CK(cudaFree(force));
    return report(ok);
}
