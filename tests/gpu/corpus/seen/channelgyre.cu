// Circulation of a zonal channel: the streamfunction under a given wind, by damped Jacobi sweeps over the basin (it
// closes upon itself in x, its coasts are at the first and last row) until the largest change of a sweep is small.
// usage: channelgyre width height sweeps
#include "common.h"

#define ROWS 8               // rows per thread
#define DAMP 0.9f
#define BETA 0.05f
#define SMALL 1e-9f

__host__ __device__ inline float curl(int y, int h) { return 1e-3f * sinf(6.2831853f * (float)y / (float)(h - 1)) + 4e-4f; }
__host__ __device__ inline float relaxed(float c, float west, float east, float north, float south, float f)
{
    float mean = 0.25f * ((1.0f + BETA) * east + (1.0f - BETA) * west + north + south - f);
    return c + DAMP * (mean - c);
}

__global__ void __launch_bounds__(256) sweep(const float *__restrict__ psi, float *__restrict__ next,
                                             const float *__restrict__ wind, int w, int h, unsigned *change)
{
    __shared__ float most[8];
    const int x = blockIdx.x * 256 + threadIdx.x, y0 = blockIdx.y * ROWS;       // w is a multiple of 256
    const int west = x ? x - 1 : w - 1, east = x < w - 1 ? x + 1 : 0;
    float worst = 0.0f, south = psi[(size_t)(y0 ? y0 - 1 : 0) * w + x], c = psi[(size_t)y0 * w + x];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int y = y0 + r;
        const size_t row = (size_t)y * w;
        float north = psi[y < h - 1 ? row + w + x : row + x];
        float v = relaxed(c, psi[row + west], psi[row + east], north, south, wind[y]);
        if (y == 0 || y == h - 1) v = 0.0f;
        next[row + x] = v;
        worst = fmaxf(worst, fabsf(v - c));
        south = c;
        c = north;
    }
    for (int o = 16; o; o >>= 1) worst = fmaxf(worst, __shfl_xor_sync(0xffffffffu, worst, o));
    if (threadIdx.x % 32 == 0) most[threadIdx.x / 32] = worst;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; ++i) worst = fmaxf(worst, most[i]);
        atomicMax(change, __float_as_uint(worst));           // positive: the bits are in order
    }
}

int main(int argc, char **argv)
{
    int w = (argc > 1 ? atoi(argv[1]) : 4096) / 256 * 256;
    int h = (argc > 2 ? atoi(argv[2]) : 2560) / ROWS * ROWS;
    int sweeps = argc > 3 ? atoi(argv[3]) : 20000;
#ifdef GOOD
    const int look = 100;
#else
    const int look = 1;
#endif
    size_t bytes = (size_t)w * h * sizeof(float);
    std::vector<float> f(h);
    for (int y = 0; y < h; ++y) f[y] = curl(y, h);
    float *psi, *next, *wind; unsigned *change;
    CK(cudaMalloc(&psi, bytes)); CK(cudaMalloc(&next, bytes)); CK(cudaMalloc(&wind, h * sizeof(float)));
    CK(cudaMalloc(&change, sweeps * sizeof(unsigned)));
    CK(cudaMemset(psi, 0, bytes));
    CK(cudaMemset(change, 0, sweeps * sizeof(unsigned)));
    CK(cudaMemcpy(wind, f.data(), h * sizeof(float), cudaMemcpyHostToDevice));
    dim3 grid(w / 256, h / ROWS);
    int done = 0;
    float last = 0.0f;
    while (done < sweeps) {
        sweep<<<grid, 256>>>(psi, next, wind, w, h, change + done);
        std::swap(psi, next);
        if (++done % look == 0 || done == sweeps) {
            CK(cudaMemcpy(&last, change + done - 1, sizeof last, cudaMemcpyDeviceToHost));
            if (last < SMALL) break;
        }
    }
    CK(cudaGetLastError());
    std::vector<float> got((size_t)w * h);
    CK(cudaMemcpy(got.data(), psi, bytes, cudaMemcpyDeviceToHost));

    // the wind does not depend on x, nor does the flow
    std::vector<float> a(h, 0.0f), b(h, 0.0f);
    for (int s = 0; s < done; ++s) {
        for (int y = 1; y < h - 1; ++y) b[y] = relaxed(a[y], a[y], a[y], a[y + 1], a[y - 1], f[y]);
        a.swap(b);
    }
    float size = 1e-6f;
    for (float v : a) size = std::max(size, fabsf(v));
    bool ok = true;
    for (int y = 0; y < h; y += 3)
        for (int x = 0; x < w; x += 37) ok = ok && fabsf(got[(size_t)y * w + x] - a[y]) < 5e-3f * size;
    printf("%d sweeps, last change %.3g, transport %.4f\n", done, last, size);
    CK(cudaFree(psi)); CK(cudaFree(next)); CK(cudaFree(wind)); CK(cudaFree(change));
    return report(ok);
}
