// Random features: the Gram matrix Z^T Y of two tall and narrow matrices (rows x 256).
//   skinnygram [rows] [times]
#include "common.h"

constexpr int WIDTH = 256, TILE = 64, STEP = 16;

__host__ __device__ inline float feature(size_t row, int col, int which)
{
    unsigned h = (unsigned)row * 747796405u + (unsigned)col * 2891336453u + which;
    h = (h >> ((h >> 28) + 4) ^ h) * 277803737u;
    return ((h >> 22 ^ h) & 0xffff) * (1.0f / 32768) - 1;
}

__global__ void features(float *z, float *y, size_t rows)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < rows * WIDTH; i += (size_t)gridDim.x * blockDim.x) {
        z[i] = feature(i / WIDTH, i % WIDTH, 1);
        y[i] = 0.5f * z[i] + feature(i / WIDTH, i % WIDTH, 2);
    }
}

// A block computes 64 x 64 elements of the result from the rows first ... last - 1.
__global__ void __launch_bounds__(256) gram(const float *__restrict__ z, const float *__restrict__ y, float *__restrict__ g, size_t rows)
{
    __shared__ float4 zs[STEP][TILE / 4], ys[STEP][TILE / 4];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    size_t part = (rows / gridDim.z + STEP - 1) / STEP * STEP;
    size_t first = blockIdx.z * part, last = blockIdx.z + 1 == gridDim.z ? rows : min(first + part, rows);
    float acc[4][4] = {};
    for (size_t r = first; r < last; r += STEP) {
        size_t row = r + ty;
        bool in = row < last;
        float4 none = make_float4(0, 0, 0, 0);
        zs[ty][tx] = in ? *(const float4 *)&z[row * WIDTH + blockIdx.y * TILE + tx * 4] : none;
        ys[ty][tx] = in ? *(const float4 *)&y[row * WIDTH + blockIdx.x * TILE + tx * 4] : none;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            float4 a = zs[k][ty], b = ys[k][tx];
            float as[4] = {a.x, a.y, a.z, a.w}, bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += as[i] * bs[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            atomicAdd(&g[(blockIdx.y * TILE + ty * 4 + i) * WIDTH + blockIdx.x * TILE + tx * 4 + j], acc[i][j]);
}

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? atol(argv[1]) : 524288;
    int times = argc > 2 ? atoi(argv[2]) : 1;
    float *z, *y, *g;
    CK(cudaMalloc(&z, rows * WIDTH * 4));
    CK(cudaMalloc(&y, rows * WIDTH * 4));
    CK(cudaMalloc(&g, WIDTH * WIDTH * 4));
    features<<<1056, 256>>>(z, y, rows);
    CK(cudaGetLastError());
#ifndef GOOD
    int parts = 1;
#else
    int parts = 33;
#endif
    for (int t = 0; t < times; t++) {
        CK(cudaMemset(g, 0, WIDTH * WIDTH * 4));
        gram<<<dim3(WIDTH / TILE, WIDTH / TILE, parts), 256>>>(z, y, g, rows);
        CK(cudaGetLastError());
    }
    std::vector<float> h(WIDTH * WIDTH);
    CK(cudaMemcpy(h.data(), g, h.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 4; t++) {
        int i = 17 + 50 * t, j = t == 0 ? 17 : 200 - 31 * t;
        double want = 0;
        for (size_t r = 0; r < rows; r++)
            want += (double)feature(r, i, 1) * (0.5 * feature(r, j, 1) + feature(r, j, 2));
        ok = ok && fabs(want - h[i * WIDTH + j]) < 0.002 * rows;
    }
    printf("g[17][17] = %.1f\n", h[17 * WIDTH + 17]);
    return report(ok && h[17 * WIDTH + 17] > 0.1 * rows);
}
