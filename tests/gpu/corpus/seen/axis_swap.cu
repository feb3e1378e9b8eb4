// Change of the axes of a field between two 1-D spectral passes:
// in[z][y][x] becomes out[z][x][y] times a window, through padded tiles.
#include "common.h"

#ifndef NA
#define NA 512
#endif
#define TD 32
#ifdef GOOD
#define ROWS 16
#else
#define ROWS 8
#endif

static __host__ __device__ inline float point(unsigned k)
{
    unsigned u = k * 2654435761u;
    u ^= u >> 15; u *= 2246822519u;
    return (u >> 8) * (1.0f / 16777216.0f);
}

__global__ void fill(float *f, unsigned n)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) f[k] = point(k);
}

__global__ void __launch_bounds__(TD * ROWS) swap_xy(const float *__restrict__ in, float *__restrict__ out,
                                                     const float *__restrict__ win)
{
    __shared__ float tile[TD][TD + 1];
    int x0 = blockIdx.x * TD, y0 = blockIdx.y * TD, tx = threadIdx.x;
    size_t plane = (size_t)blockIdx.z * NA * NA;
#pragma unroll
    for (int r = threadIdx.y; r < TD; r += ROWS) tile[r][tx] = in[plane + (size_t)(y0 + r) * NA + x0 + tx];
    __syncthreads();
    float w = win[y0 + tx];
#pragma unroll
    for (int r = threadIdx.y; r < TD; r += ROWS) out[plane + (size_t)(x0 + r) * NA + y0 + tx] = w * tile[tx][r];
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 160;
    const unsigned n = (unsigned)NA * NA * NA;
    std::vector<float> win(NA), line(NA);
    for (int i = 0; i < NA; i++) win[i] = 0.5f - 0.5f * cosf(6.2831853f * (i + 0.5f) / NA);
    float *in, *out, *dwin;
    CK(cudaMalloc(&in, (size_t)n * sizeof(float)));
    CK(cudaMalloc(&out, (size_t)n * sizeof(float)));
    CK(cudaMalloc(&dwin, NA * sizeof(float)));
    CK(cudaMemcpy(dwin, win.data(), NA * sizeof(float), cudaMemcpyHostToDevice));
    fill<<<(n + 255) / 256, 256>>>(in, n);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++)
        swap_xy<<<dim3(NA / TD, NA / TD, NA), dim3(TD, ROWS)>>>(in, out, dwin);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned seed = 17;
    for (int t = 0; t < 100; t++) {
        unsigned z = (unsigned)(frand(seed) * NA), x = (unsigned)(frand(seed) * NA);
        CK(cudaMemcpy(line.data(), out + ((size_t)z * NA + x) * NA, NA * sizeof(float), cudaMemcpyDeviceToHost));
        for (unsigned y = 0; y < NA; y++)
            ok = ok && close_to(line[y], win[y] * point((z * NA + y) * NA + x), 1e-6);
    }
    CK(cudaFree(in)); CK(cudaFree(out)); CK(cudaFree(dwin));
    return report(ok);
}
