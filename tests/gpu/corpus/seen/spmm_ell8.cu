// Sparse matrix (ELLPACK, 16 entries per row) times eight right-hand sides at once,
// as in a block Krylov method. X and Y hold the eight values of a row together.
#include "common.h"

constexpr int ROWS = 1 << 21, NNZ = 16, RHS = 8;

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline int col_of(int row, int k) { return (row + (int)(mix(row * NNZ + k) & 8191) - 4096 + ROWS) & (ROWS - 1); }
__host__ __device__ inline float val_of(int row, int k) { return ((mix((row * NNZ + k) ^ 0x5a5a5a5a) & 1023) - 511.5f) * (1.0f / 2048); }
__host__ __device__ inline float x_of(int row, int r) { return ((row * 7 + r * 13) % 101) * 0.01f; }

__global__ void make_system(int *col, float *val, float *x)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < NNZ; k++) {
        col[(size_t)k * ROWS + row] = col_of(row, k);
        val[(size_t)k * ROWS + row] = val_of(row, k);
    }
    for (int r = 0; r < RHS; r++) x[(size_t)row * RHS + r] = x_of(row, r);
}

__global__ void multiply(const int *col, const float *val, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef GOOD
    float4 a = make_float4(0, 0, 0, 0), b = a;
#pragma unroll 4
    for (int k = 0; k < NNZ; k++) {
        float v = val[(size_t)k * ROWS + row];
        const float4 *p = (const float4 *)(x + (size_t)col[(size_t)k * ROWS + row] * RHS);
        float4 s = p[0], t = p[1];
        a.x += v * s.x; a.y += v * s.y; a.z += v * s.z; a.w += v * s.w;
        b.x += v * t.x; b.y += v * t.y; b.z += v * t.z; b.w += v * t.w;
    }
    float4 *o = (float4 *)(y + (size_t)row * RHS);
    o[0] = a;
    o[1] = b;
#else
    int r = blockIdx.y;
    float s = 0;
#pragma unroll 4
    for (int k = 0; k < NNZ; k++)
        s += val[(size_t)k * ROWS + row] * x[(size_t)col[(size_t)k * ROWS + row] * RHS + r];
    y[(size_t)row * RHS + r] = s;
#endif
}

int main(int argc, char **argv)
{
    int iters = argc > 1 ? atoi(argv[1]) : 200;
    int *col;
    float *val, *x, *y;
    CK(cudaMalloc(&col, (size_t)ROWS * NNZ * sizeof(int)));
    CK(cudaMalloc(&val, (size_t)ROWS * NNZ * sizeof(float)));
    CK(cudaMalloc(&x, (size_t)ROWS * RHS * sizeof(float)));
    CK(cudaMalloc(&y, (size_t)ROWS * RHS * sizeof(float)));
    make_system<<<ROWS / 256, 256>>>(col, val, x);
    CK(cudaGetLastError());
#ifdef GOOD
    const dim3 grid(ROWS / 256);
#else
    const dim3 grid(ROWS / 256, RHS);
#endif
    for (int i = 0; i < iters; i++)
        multiply<<<grid, 256>>>(col, val, x, y);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 40; q++) {
        int row = q == 0 ? 0 : (q * 523987) % ROWS, r = q % RHS;
        double s = 0;
        for (int k = 0; k < NNZ; k++) s += (double)val_of(row, k) * x_of(col_of(row, k), r);
        float got;
        CK(cudaMemcpy(&got, y + (size_t)row * RHS + r, sizeof got, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, s, 1e-4);
    }
    CK(cudaFree(col)); CK(cudaFree(val)); CK(cudaFree(x)); CK(cudaFree(y));
    return report(ok);
}
