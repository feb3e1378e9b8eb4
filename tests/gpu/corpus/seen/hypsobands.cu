// Hypsometry of an elevation raster: the area in each of 32 elevation bands. A pixel's area depends on its latitude,
// that is, on its row, and is counted in square metres.
//   hypsobands [rasters]
#include "common.h"

const int ROWS = 8712, COLS = 16384, BANDS = 32, THREADS = 256;
typedef unsigned long long u64;

__host__ __device__ static inline unsigned elevation(int row, int col)       // in metres, 0 to 4095
{
    unsigned cell = (unsigned)(row / 256) * 977u + (unsigned)(col / 256);
    unsigned h = cell * 2654435761u; h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 13;
    unsigned rough = (unsigned)(row * 7 + col * 13) & 15u;
    return (h & 3967u) + ((unsigned)(row & 255) / 8u) + rough;
}

__host__ __device__ static inline unsigned area(int row)
{
    float y = (row - ROWS / 2) * (1.0f / ROWS);
    return 900u - (unsigned)(400.0f * y * y);
}

__global__ void terrain(unsigned short *dem, unsigned *rowarea)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    dem[(size_t)row * COLS + col] = (unsigned short)elevation(row, col);
    if (col == 0) rowarea[row] = area(row);
}

__global__ void __launch_bounds__(THREADS) hypsometry(const uint4 *__restrict__ dem, const unsigned *__restrict__ rowarea,
                                                      u64 *total)
{
#ifdef GOOD
    __shared__ unsigned s[BANDS * THREADS];
    for (int b = 0; b < BANDS; b++) s[b * THREADS + threadIdx.x] = 0;
#else
    __shared__ unsigned s[BANDS];
    if (threadIdx.x < BANDS) s[threadIdx.x] = 0;
    __syncthreads();
#endif
    const int perRow = COLS / 8;
    for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
        unsigned a = rowarea[row];
#pragma unroll 4
        for (int c = threadIdx.x; c < perRow; c += THREADS) {
            uint4 v = dem[(size_t)row * perRow + c];
            unsigned w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int k = 0; k < 4; k++) {
                unsigned lo = (w[k] & 0xffffu) >> 7, hi = w[k] >> 23;
#ifdef GOOD
                s[lo * THREADS + threadIdx.x] += a;
                s[hi * THREADS + threadIdx.x] += a;
#else
                atomicAdd(&s[lo], a);
                atomicAdd(&s[hi], a);
#endif
            }
        }
    }
    __syncthreads();
#ifdef GOOD
    int lane = threadIdx.x % 32;
    for (int b = threadIdx.x / 32; b < BANDS; b += THREADS / 32) {
        unsigned sum = 0;
        for (int t = lane; t < THREADS; t += 32) sum += s[b * THREADS + t];
        sum = __reduce_add_sync(~0u, sum);
        if (lane == 0) atomicAdd(&total[b], (u64)sum);
    }
#else
    if (threadIdx.x < BANDS) atomicAdd(&total[threadIdx.x], (u64)s[threadIdx.x]);
#endif
}

int main(int argc, char **argv)
{
    int rasters = argc > 1 ? atoi(argv[1]) : 700;
    unsigned short *dem;
    unsigned *rowarea;
    u64 *total, got[BANDS], want[BANDS] = {};
    CK(cudaMalloc(&dem, (size_t)ROWS * COLS * sizeof(short)));
    CK(cudaMalloc(&rowarea, ROWS * sizeof(unsigned)));
    CK(cudaMalloc(&total, sizeof got));
    CK(cudaMemset(total, 0, sizeof got));
    terrain<<<dim3(COLS / 256, ROWS), 256>>>(dem, rowarea);
    for (int r = 0; r < rasters; r++) hypsometry<<<132 * 6, THREADS>>>((const uint4 *)dem, rowarea, total);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, total, sizeof got, cudaMemcpyDeviceToHost));
    std::vector<unsigned> ra(ROWS);
    CK(cudaMemcpy(ra.data(), rowarea, ROWS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int row = 0; row < ROWS; row++)
        for (int col = 0; col < COLS; col++) want[elevation(row, col) >> 7] += ra[row];
    bool ok = true;
    for (int b = 0; b < BANDS; b++) ok = ok && got[b] == want[b] * rasters;
    printf("lowest band: %.1f square km\n", want[0] * 1e-6);
    return report(ok);
}
