// Decaying shear flow in a periodic channel, lattice Boltzmann with nine velocities (D2Q9, BGK):
// every step pulls the populations from the neighbours and relaxes them.
#include "common.h"

#ifndef NX
#define NX 4096
#define NY 2048
#endif
const int CELLS = NX * NY;

template <typename R> __host__ __device__ inline R equilibrium(int k, R rho, R u, R v)
{
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const R w = k == 0 ? R(4.0 / 9.0) : k < 5 ? R(1.0 / 9.0) : R(1.0 / 36.0);
    R cu = cx[k] * u + cy[k] * v;
    return w * rho * (R(1) + R(3) * cu + R(4.5) * cu * cu - R(1.5) * (u * u + v * v));
}

template <typename R> __host__ __device__ inline void moments(const R *f, R &rho, R &u, R &v)
{
    rho = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
    u = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho;
    v = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho;
}

__host__ __device__ inline size_t place(int k, int cell)
{
#ifdef GOOD
    return (size_t)k * CELLS + cell;
#else
    return (size_t)cell * 9 + k;
#endif
}

// the cell that population k of (x, y) comes from
__host__ __device__ inline int upstream(int k, int x, int y)
{
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    int xs = (x - cx[k]) & (NX - 1), ys = (y - cy[k]) & (NY - 1);
    return ys * NX + xs;
}

__global__ void still_water(float *f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float u = 0.06f * sinf(6.2831853f * 4 * y / NY), v = 0.02f * sinf(6.2831853f * 3 * x / NX);
    for (int k = 0; k < 9; k++) f[place(k, y * NX + x)] = equilibrium(k, 1.0f, u, v);
}

__global__ void __launch_bounds__(256) flow(const float *__restrict__ f, float *__restrict__ g, float omega)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float p[9], rho, u, v;
#pragma unroll
    for (int k = 0; k < 9; k++) p[k] = f[place(k, upstream(k, x, y))];
    moments(p, rho, u, v);
#pragma unroll
    for (int k = 0; k < 9; k++)
        g[place(k, y * NX + x)] = p[k] + omega * (equilibrium(k, rho, u, v) - p[k]);
}

__global__ void gauge(const float *__restrict__ f, float *speed)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float p[9], rho, u, v;
    for (int k = 0; k < 9; k++) p[k] = f[place(k, c)];
    moments(p, rho, u, v);
    speed[c] = sqrtf(u * u + v * v);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 3300;
    const float omega = 1.25f;
    float *f, *g, *speed;
    CK(cudaMalloc(&f, (size_t)CELLS * 9 * sizeof(float)));
    CK(cudaMalloc(&g, (size_t)CELLS * 9 * sizeof(float)));
    CK(cudaMalloc(&speed, (size_t)CELLS * sizeof(float)));
    dim3 grid(NX / 256, NY);
    still_water<<<grid, 256>>>(f);
    for (int s = 0; s < steps - 1; s++) {
        flow<<<grid, 256>>>(f, g, omega);
        std::swap(f, g);
    }
    CK(cudaGetLastError());

    // populations around some cells before the last step
    const int probes = 12;
    float before[probes][9], after[9];
    int px[probes], py[probes];
    unsigned seed = 40;
    for (int t = 0; t < probes; t++) {
        px[t] = t == 0 ? 0 : (int)(frand(seed) * NX);
        py[t] = t == 1 ? 0 : (int)(frand(seed) * NY);
        for (int k = 0; k < 9; k++)
            CK(cudaMemcpy(&before[t][k], f + place(k, upstream(k, px[t], py[t])), sizeof(float), cudaMemcpyDeviceToHost));
    }
    flow<<<grid, 256>>>(f, g, omega);
    gauge<<<CELLS / 256, 256>>>(g, speed);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int t = 0; t < probes; t++) {
        double p[9], rho, u, v;
        float quick;
        for (int k = 0; k < 9; k++) p[k] = before[t][k];
        moments(p, rho, u, v);
        for (int k = 0; k < 9; k++) {
            CK(cudaMemcpy(&after[k], g + place(k, py[t] * NX + px[t]), sizeof(float), cudaMemcpyDeviceToHost));
            double ref = p[k] + (double)omega * (equilibrium(k, rho, u, v) - p[k]);
            ok = ok && close_to(after[k], ref, 1e-5) && std::isfinite(after[k]);
        }
        CK(cudaMemcpy(&quick, speed + py[t] * NX + px[t], sizeof(float), cudaMemcpyDeviceToHost));
        ok = ok && quick < 0.2f && rho > 0.8 && rho < 1.2;
    }
    CK(cudaFree(f)); CK(cudaFree(g)); CK(cudaFree(speed));
    return report(ok);
}
