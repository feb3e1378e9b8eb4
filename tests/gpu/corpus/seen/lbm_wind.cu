// Wind over a plain: D2Q9 lattice Boltzmann, single relaxation time, pull scheme, periodic.
//   lbm_wind [steps]
#include "common.h"

static const int NX = 3072, NY = 2048;
#ifndef GOOD
// all nine populations of a cell side by side
#define F(q, cell) ((size_t)(cell) * 9 + (q))
#else
// one plane for each direction
#define F(q, cell) ((size_t)(q) * NX * NY + (cell))
#endif

__device__ __forceinline__ float equilibrium(float w, float rho, float cu, float uu)
{
    return w * rho * (1.0f + 3.0f * cu + 4.5f * cu * cu - 1.5f * uu);
}

__global__ void start(float *f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int c = y * NX + x;
    float u = 0.05f + 0.02f * __sinf(6.2831853f * y / NY), v = 0.01f * __sinf(6.2831853f * x / NX);
    float uu = u * u + v * v;
    const float w0 = 4.f / 9, w1 = 1.f / 9, w2 = 1.f / 36;
    f[F(0, c)] = equilibrium(w0, 1, 0, uu);
    f[F(1, c)] = equilibrium(w1, 1, u, uu);
    f[F(2, c)] = equilibrium(w1, 1, v, uu);
    f[F(3, c)] = equilibrium(w1, 1, -u, uu);
    f[F(4, c)] = equilibrium(w1, 1, -v, uu);
    f[F(5, c)] = equilibrium(w2, 1, u + v, uu);
    f[F(6, c)] = equilibrium(w2, 1, v - u, uu);
    f[F(7, c)] = equilibrium(w2, 1, -u - v, uu);
    f[F(8, c)] = equilibrium(w2, 1, u - v, uu);
}

__global__ void collide_stream(const float *__restrict__ f, float *__restrict__ g, float omega)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int xm = x == 0 ? NX - 1 : x - 1, xp = x == NX - 1 ? 0 : x + 1;
    int ym = y == 0 ? NY - 1 : y - 1, yp = y == NY - 1 ? 0 : y + 1;
    int c = y * NX + x;
    float f0 = f[F(0, c)];
    float f1 = f[F(1, y * NX + xm)];
    float f2 = f[F(2, ym * NX + x)];
    float f3 = f[F(3, y * NX + xp)];
    float f4 = f[F(4, yp * NX + x)];
    float f5 = f[F(5, ym * NX + xm)];
    float f6 = f[F(6, ym * NX + xp)];
    float f7 = f[F(7, yp * NX + xp)];
    float f8 = f[F(8, yp * NX + xm)];
    float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    float inv = __fdividef(1.0f, rho);
    float u = (f1 + f5 + f8 - f3 - f6 - f7) * inv;
    float v = (f2 + f5 + f6 - f4 - f7 - f8) * inv;
    float uu = u * u + v * v;
    const float w0 = 4.f / 9, w1 = 1.f / 9, w2 = 1.f / 36;
    g[F(0, c)] = f0 + omega * (equilibrium(w0, rho, 0, uu) - f0);
    g[F(1, c)] = f1 + omega * (equilibrium(w1, rho, u, uu) - f1);
    g[F(2, c)] = f2 + omega * (equilibrium(w1, rho, v, uu) - f2);
    g[F(3, c)] = f3 + omega * (equilibrium(w1, rho, -u, uu) - f3);
    g[F(4, c)] = f4 + omega * (equilibrium(w1, rho, -v, uu) - f4);
    g[F(5, c)] = f5 + omega * (equilibrium(w2, rho, u + v, uu) - f5);
    g[F(6, c)] = f6 + omega * (equilibrium(w2, rho, v - u, uu) - f6);
    g[F(7, c)] = f7 + omega * (equilibrium(w2, rho, -u - v, uu) - f7);
    g[F(8, c)] = f8 + omega * (equilibrium(w2, rho, u - v, uu) - f8);
}

// Momentum along one row, for the check.
__global__ void probe(const float *f, int y, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, c = y * NX + x;
    out[x] = f[F(1, c)] + f[F(5, c)] + f[F(8, c)] - f[F(3, c)] - f[F(6, c)] - f[F(7, c)];
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 100;
    size_t bytes = (size_t)NX * NY * 9 * sizeof(float);
    float *a, *b, *row;
    CK(cudaMalloc(&a, bytes));
    CK(cudaMalloc(&b, bytes));
    CK(cudaMalloc(&row, NX * sizeof(float)));
    dim3 grid(NX / 128, NY);
    start<<<grid, 128>>>(a);
    CK(cudaGetLastError());
    for (int s = 0; s < steps; s++) {
        collide_stream<<<grid, 128>>>(a, b, 1.6f);
        CK(cudaGetLastError());
        std::swap(a, b);
    }
    probe<<<NX / 128, 128>>>(a, NY / 4, row);
    CK(cudaGetLastError());
    std::vector<float> h(NX);
    CK(cudaMemcpy(h.data(), row, NX * sizeof(float), cudaMemcpyDeviceToHost));
    double m = 0;
    for (float x : h) m += x;
    printf("mean momentum %.5f\n", m / NX);
    return report(m / NX > 0.01 && m / NX < 0.2);
}
