// Upwind advection in 3D, a cell per thread.
#include "common.h"
__global__ void advect(const float *__restrict__ q, float *__restrict__ r, int nx, int ny, int nz, float c)
{
#ifndef GOOD
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= nx * ny * nz) return;
    int x = idx % nx;
    int y = idx / nx % ny;
    int z = idx / (nx * ny);
    int xm = (x + nx - 1) % nx, ym = (y + ny - 1) % ny, zm = (z + nz - 1) % nz;
#else
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y, z = blockIdx.z;
    if (x >= nx) return;
    int idx = (z * ny + y) * nx + x;
    int xm = x ? x - 1 : nx - 1, ym = y ? y - 1 : ny - 1, zm = z ? z - 1 : nz - 1;
#endif
    float v = q[idx];
    r[idx] = v - c * (v - q[(z * ny + y) * nx + xm]) - c * (v - q[(z * ny + ym) * nx + x])
               - c * (v - q[(zm * ny + y) * nx + x]);
}
__global__ void init(float *q, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) q[i] = (i % 97) / 97.f; }
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    int nx = 500, ny = 300, nz = 300, n = nx * ny * nz;
    if (argc > 4) { nx = atoi(argv[2]); ny = atoi(argv[3]); nz = atoi(argv[4]); n = nx * ny * nz; }
    float *q, *r;
    CK(cudaMalloc(&q, n * 4ul)); CK(cudaMalloc(&r, n * 4ul));
    init<<<(n + 255) / 256, 256>>>(q, n);
    for (int s = 0; s < steps; s++) {
#ifndef GOOD
        advect<<<(n + 255) / 256, 256>>>(q, r, nx, ny, nz, 0.1f);
#else
        advect<<<dim3((nx + 127) / 128, ny, nz), 128>>>(q, r, nx, ny, nz, 0.1f);
#endif
        std::swap(q, r);
    }
    std::vector<float> h(1 << 20);
    CK(cudaMemcpy(h.data(), q, h.size() * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    printf("mean of the first million %.3f\n", sum / h.size());
    return report(sum / h.size() > 0.4 && sum / h.size() < 0.6);
}
