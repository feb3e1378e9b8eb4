// Wind-tunnel mesh: sparse matrix times vector (CSR, 64 or 96 entries a row), one warp a row, as in a smoother.
#include "common.h"

#ifdef GOOD
const int BLOCK = 128;
#else
const int BLOCK = 256;
#endif
const int ROWS = 1 << 19;

__host__ __device__ static inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
// pairs of rows have 64 + 96 entries
__host__ __device__ static inline int row_start(int r) { return (r >> 1) * 160 + (r & 1) * 64; }
__host__ __device__ static inline int col_at(int r, int e)
{
    int c = r + (e & ~7) * 40 - 1600 + (e & 7);
    return c < 0 ? c + ROWS : c >= ROWS ? c - ROWS : c;
}
__host__ __device__ static inline float val_at(int e) { return (mix(e) >> 8) * (1.0f / 16777216.0f) - 0.5f; }

__global__ void assemble(int *ptr, int *col, float *val, float *x)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r > ROWS) return;
    ptr[r] = row_start(r);
    if (r == ROWS) return;
    x[r] = 1.0f + (r % 97) * 0.01f;
    int b = row_start(r), len = row_start(r + 1) - b;
    for (int e = 0; e < len; e++) { col[b + e] = col_at(r, e); val[b + e] = val_at(b + e); }
}

__global__ void __launch_bounds__(BLOCK) spmv(const int *__restrict__ ptr, const int *__restrict__ col, const float *__restrict__ val,
                                              const float *__restrict__ x, float *__restrict__ y, int rows)
{
    int row = (blockIdx.x * BLOCK + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (row >= rows) return;
    int end = ptr[row + 1];
    float s = 0.0f;
    for (int e = ptr[row] + lane; e < end; e += 32) s += val[e] * x[col[e]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if (lane == 0) y[row] = s;
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 400;
    const int nnz = row_start(ROWS);
    int *ptr, *col;
    float *val, *x, *y;
    CK(cudaMalloc(&ptr, (ROWS + 1) * sizeof(int)));
    CK(cudaMalloc(&col, nnz * sizeof(int)));
    CK(cudaMalloc(&val, nnz * sizeof(float)));
    CK(cudaMalloc(&x, ROWS * sizeof(float)));
    CK(cudaMalloc(&y, ROWS * sizeof(float)));
    assemble<<<ROWS / 256 + 1, 256>>>(ptr, col, val, x);
    CK(cudaGetLastError());
    for (int s = 0; s < sweeps; s++) spmv<<<ROWS / (BLOCK / 32), BLOCK>>>(ptr, col, val, x, y, ROWS);
    CK(cudaGetLastError());
    std::vector<float> h(ROWS);
    CK(cudaMemcpy(h.data(), y, ROWS * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 0; r < ROWS; r += 1009) {
        double ref = 0;
        for (int e = row_start(r); e < row_start(r + 1); e++)
            ref += (double)val_at(e) * (1.0 + (col_at(r, e - row_start(r)) % 97) * 0.01);
        if (!close_to(h[r], ref, 1e-3)) ok = false;
    }
    CK(cudaFree(ptr)); CK(cudaFree(col)); CK(cudaFree(val)); CK(cudaFree(x)); CK(cudaFree(y));
    return report(ok);
}
