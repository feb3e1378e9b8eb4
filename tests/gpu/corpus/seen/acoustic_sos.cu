// Acoustic wave equation in a layered medium, fourth order in space and second in time;
// the new pressure overwrites the old one.
#include "common.h"

#ifndef NXS
#define NXS 8192
#define NYS 8192
#endif
#ifdef GOOD
#define BX 64
#define BY 4
#else
#define BX 32
#define BY 8
#endif

static __host__ __device__ inline float speed2(int y) { return y % 512 < 256 ? 0.10f : 0.22f; }   // (c dt / h)^2

__global__ void start(float *p, float *q, float *c2, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    float dx = (x - nx / 2) * 0.02f, dy = (y - ny / 2) * 0.02f;
    float v = expf(-dx * dx - dy * dy);
    size_t k = (size_t)y * nx + x;
    p[k] = v;
    q[k] = v;
    c2[k] = speed2(y);
}

__global__ void __launch_bounds__(256) wave4(const float *__restrict__ p, float *__restrict__ q,
                                             const float *__restrict__ c2, int nx, int ny)
{
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    if (x < 2 || y < 2 || x >= nx - 2 || y >= ny - 2) return;
    size_t k = (size_t)y * nx + x;
    float m = p[k];
    float lap = -5.0f * m
              + (4.0f / 3.0f) * (p[k - 1] + p[k + 1] + p[k - nx] + p[k + nx])
              - (1.0f / 12.0f) * (p[k - 2] + p[k + 2] + p[k - 2 * nx] + p[k + 2 * nx]);
    q[k] = 2.0f * m - q[k] + c2[k] * lap;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 160;
    const int nx = NXS, ny = NYS;
    size_t n = (size_t)nx * ny;
    float *p, *q, *c2;
    CK(cudaMalloc(&p, n * sizeof(float)));
    CK(cudaMalloc(&q, n * sizeof(float)));
    CK(cudaMalloc(&c2, n * sizeof(float)));
    start<<<dim3((nx + 255) / 256, ny), 256>>>(p, q, c2, nx, ny);
    CK(cudaGetLastError());
    dim3 block(BX, BY), grid((nx + BX - 1) / BX, (ny + BY - 1) / BY);

    // five patches of 5x5 before the last step, their middles after it
    float patch[5][25], old[5], now[5];
    int px[5], py[5];
    for (int s = 0; s < steps; s++) {
        if (s == steps - 1)
            for (int t = 0; t < 5; t++) {
                px[t] = nx / 2 + 23 * t - 40;
                py[t] = ny / 2 + 31 * t - 50;
                size_t k = (size_t)py[t] * nx + px[t];
                CK(cudaMemcpy2D(patch[t], 5 * sizeof(float), p + k - 2 * nx - 2, nx * sizeof(float),
                                5 * sizeof(float), 5, cudaMemcpyDeviceToHost));
                CK(cudaMemcpy(&old[t], q + k, sizeof(float), cudaMemcpyDeviceToHost));
            }
        wave4<<<grid, block>>>(p, q, c2, nx, ny);
        std::swap(p, q);
    }
    CK(cudaGetLastError());
    bool ok = true;
    for (int t = 0; t < 5; t++) {
        CK(cudaMemcpy(&now[t], p + (size_t)py[t] * nx + px[t], sizeof(float), cudaMemcpyDeviceToHost));
        const float *u = patch[t];
        double lap = -5.0 * u[12] + 4.0 / 3.0 * ((double)u[11] + u[13] + u[7] + u[17])
                   - 1.0 / 12.0 * ((double)u[10] + u[14] + u[2] + u[22]);
        double ref = 2.0 * u[12] - old[t] + speed2(py[t]) * lap;
        ok = ok && close_to(now[t], ref, 1e-4) && std::isfinite(now[t]);
    }
    CK(cudaFree(p)); CK(cudaFree(q)); CK(cudaFree(c2));
    return report(ok);
}
