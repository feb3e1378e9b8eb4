// Recursive smoothing of the rows of a stack of images (causal second-order filter).
// A block filters 256 rows, 32 columns at a time through shared memory.
//   iir_rows [passes]
#include "common.h"

const int ROWS = 135168, COLUMNS = 512, TILE = 32, THREADS = 256, WARPS = THREADS / 32;
#ifndef GOOD
const int PITCH = THREADS;
#else
const int PITCH = THREADS + 1;
#endif

__global__ void scene(float *x, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = ((unsigned)i * 2654435761u >> 20) * (1.0f / 4096);
}

__global__ void __launch_bounds__(THREADS) smooth(const float *__restrict__ in, float *__restrict__ out, float a, float b, float c)
{
    __shared__ float tile[TILE * PITCH];      // column after column
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t first = (size_t)blockIdx.x * THREADS;
    float y1 = 0, y2 = 0;
    for (int x0 = 0; x0 < COLUMNS; x0 += TILE) {
#pragma unroll 16
        for (int j = 0; j < THREADS / WARPS; j++) {
            int r = warp + j * WARPS;
            tile[lane * PITCH + r] = in[(first + r) * COLUMNS + x0 + lane];
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < TILE; k++) {
            float y = a * tile[k * PITCH + threadIdx.x] + b * y1 + c * y2;
            tile[k * PITCH + threadIdx.x] = y;
            y2 = y1;
            y1 = y;
        }
        __syncthreads();
#pragma unroll 16
        for (int j = 0; j < THREADS / WARPS; j++) {
            int r = warp + j * WARPS;
            out[(first + r) * COLUMNS + x0 + lane] = tile[lane * PITCH + r];
        }
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 60;
    const size_t n = (size_t)ROWS * COLUMNS;
    float *x, *y;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&y, n * sizeof(float)));
    scene<<<2112, 256>>>(x, n);
    CK(cudaGetLastError());
    for (int p = 0; p < passes; p++) {
        smooth<<<ROWS / THREADS, THREADS>>>(x, y, 0.25f, 1.0f, -0.25f);
        CK(cudaGetLastError());
        std::swap(x, y);
    }
    std::vector<float> h(1 << 20);
    CK(cudaMemcpy(h.data(), x, h.size() * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float v : h) sum += v;
    printf("mean %.4f\n", sum / h.size());
    return report(sum > 0 && sum < h.size());
}
