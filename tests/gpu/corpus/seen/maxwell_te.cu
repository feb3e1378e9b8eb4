// 2-D FDTD (Yee) for the TM polarisation: Ez, Hx, Hy on a square, periodic in y,
// conducting walls in x.  Fields are stored with y running fastest.
#include "common.h"

#ifndef NG
#define NG 6144
#endif

__device__ __forceinline__ void cell(int &ix, int &iy)
{
#ifdef GOOD
    iy = blockIdx.x * blockDim.x + threadIdx.x;
    ix = blockIdx.y * blockDim.y + threadIdx.y;
#else
    ix = blockIdx.x * blockDim.x + threadIdx.x;
    iy = blockIdx.y * blockDim.y + threadIdx.y;
#endif
}

__global__ void pulse(float *ez, float *hx, float *hy, int n)
{
    size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k >= (size_t)n * n) return;
    int ix = (int)(k / n);
    float d = (ix - n / 2) * 0.05f;
    ez[k] = expf(-d * d);
    hx[k] = 0.0f;
    hy[k] = 0.0f;
}

__global__ void update_h(const float *__restrict__ ez, float *__restrict__ hx,
                         float *__restrict__ hy, int n, float c)
{
    int ix, iy;
    cell(ix, iy);
    if (ix >= n || iy >= n) return;
    size_t k = (size_t)ix * n + iy;
    int yp = iy + 1 == n ? 0 : iy + 1;
    float e = ez[k];
    hx[k] -= c * (ez[(size_t)ix * n + yp] - e);
    if (ix + 1 < n) hy[k] += c * (ez[k + n] - e);
}

__global__ void update_e(float *__restrict__ ez, const float *__restrict__ hx,
                         const float *__restrict__ hy, int n, float c)
{
    int ix, iy;
    cell(ix, iy);
    if (ix >= n || iy >= n || ix == 0 || ix == n - 1) return;
    size_t k = (size_t)ix * n + iy;
    int ym = iy == 0 ? n - 1 : iy - 1;
    ez[k] += c * (hy[k] - hy[k - n] - hx[k] + hx[(size_t)ix * n + ym]);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 120;
    const int n = NG;
    const float c = 0.5f;
    size_t cells = (size_t)n * n;
    float *ez, *hx, *hy;
    CK(cudaMalloc(&ez, cells * sizeof(float)));
    CK(cudaMalloc(&hx, cells * sizeof(float)));
    CK(cudaMalloc(&hy, cells * sizeof(float)));
    pulse<<<(unsigned)((cells + 255) / 256), 256>>>(ez, hx, hy, n);
    CK(cudaGetLastError());

    dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
    for (int s = 0; s < steps; s++) {
        update_h<<<grid, block>>>(ez, hx, hy, n, c);
        update_e<<<grid, block>>>(ez, hx, hy, n, c);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // the pulse does not depend on y: a 1-D scheme on the host must give the same
    std::vector<float> e1(n), h1(n, 0.0f);
    for (int i = 0; i < n; i++) { float d = (i - n / 2) * 0.05f; e1[i] = expf(-d * d); }
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i + 1 < n; i++) h1[i] += c * (e1[i + 1] - e1[i]);
        for (int i = 1; i + 1 < n; i++) e1[i] += c * (h1[i] - h1[i - 1]);
    }
    bool ok = true;
    std::vector<float> row(n);
    for (int ix : {n / 2, n / 2 - 17, n / 2 + steps / 2, n / 2 - steps / 2, 1}) {
        CK(cudaMemcpy(row.data(), ez + (size_t)ix * n, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (int iy = 0; iy < n; iy++) ok = ok && close_to(row[iy], e1[ix], 1e-3);
    }
    CK(cudaFree(ez)); CK(cudaFree(hx)); CK(cudaFree(hy));
    return report(ok);
}
