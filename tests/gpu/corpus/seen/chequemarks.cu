// Cheque recognition: every 16 x 16 patch cut out of the amount field is compared with 128 templates of printed
// characters (the products of ink and template, summed over the patch), the template with the best sum wins.
// usage: chequemarks patches batches
#include "common.h"
#include <cuda_fp16.h>
#ifdef GOOD
#include <mma.h>
using namespace nvcuda;
#endif

#define K 256                // pixels of a patch
#define T 128                // templates
#define ROWS 64              // patches of a block
#define KSTEP 16

__host__ __device__ inline unsigned mixbits(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline int ink(int patch, int k) { return (int)(mixbits((unsigned)patch * 257u + k) >> 30); }
__host__ __device__ inline int stroke(int t, int k) { return (int)(mixbits((unsigned)t * 8191u + k + 5u) % 5u) - 2; }

__global__ void scan_patches(half *patch, int n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)n * K) patch[i] = __int2half_rn(ink((int)(i / K), (int)(i % K)));
}

__global__ void __launch_bounds__(256) match_templates(const half *__restrict__ patch, const half *__restrict__ templ,
                                                       float *__restrict__ score)
{
    const size_t row0 = (size_t)blockIdx.x * ROWS;
#ifdef GOOD
    const int warp = threadIdx.x / 32, r = warp % 4 * 16, c = warp / 4 * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
    for (int j = 0; j < 4; ++j) wmma::fill_fragment(sum[j], 0.0f);
    for (int k0 = 0; k0 < K; k0 += KSTEP) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::load_matrix_sync(a, patch + (row0 + r) * K + k0, K);
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
            wmma::load_matrix_sync(b, templ + (c + j * 16) * K + k0, K);
            wmma::mma_sync(sum[j], a, b, sum[j]);
        }
    }
    for (int j = 0; j < 4; ++j)
        wmma::store_matrix_sync(score + (row0 + r) * T + c + j * 16, sum[j], T, wmma::mem_row_major);
#else
    __shared__ float a[KSTEP][ROWS + 4], b[KSTEP][T + 4];
    const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;      // 4 templates, 8 patches per thread
    float sum[8][4] = {};
    for (int k0 = 0; k0 < K; k0 += KSTEP) {
        for (int i = threadIdx.x; i < ROWS * KSTEP; i += 256)
            a[i % KSTEP][i / KSTEP] = __half2float(patch[(row0 + i / KSTEP) * K + k0 + i % KSTEP]);
        for (int i = threadIdx.x; i < T * KSTEP; i += 256)
            b[i % KSTEP][i / KSTEP] = __half2float(templ[i / KSTEP * K + k0 + i % KSTEP]);
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < KSTEP; ++k) {
            float x[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) x[i] = a[k][ty * 8 + i];
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                float y = b[k][tx + 32 * j];
                #pragma unroll
                for (int i = 0; i < 8; ++i) sum[i][j] += x[i] * y;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 4; ++j) score[(row0 + ty * 8 + i) * T + tx + 32 * j] = sum[i][j];
#endif
}

__global__ void best_template(const float *score, int *best, int n)
{
    int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (p >= n) return;
    float4 s = ((const float4 *)(score + (size_t)p * T))[lane];
    float top = s.x; int at = 4 * lane;
    if (s.y > top) { top = s.y; at = 4 * lane + 1; }
    if (s.z > top) { top = s.z; at = 4 * lane + 2; }
    if (s.w > top) { top = s.w; at = 4 * lane + 3; }
    for (int o = 16; o > 0; o >>= 1) {
        float other = __shfl_xor_sync(0xffffffffu, top, o);
        int where = __shfl_xor_sync(0xffffffffu, at, o);
        if (other > top || (other == top && where < at)) { top = other; at = where; }
    }
    if (lane == 0) best[p] = at;
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 262144) / ROWS * ROWS;
    int batches = argc > 2 ? atoi(argv[2]) : 900;
    std::vector<half> templ(T * K);
    for (int t = 0; t < T; ++t)
        for (int k = 0; k < K; ++k) templ[t * K + k] = __float2half((float)stroke(t, k));
    half *dp, *dt; float *ds; int *db;
    CK(cudaMalloc(&dp, (size_t)n * K * sizeof(half)));
    CK(cudaMalloc(&dt, T * K * sizeof(half)));
    CK(cudaMalloc(&ds, (size_t)n * T * sizeof(float)));
    CK(cudaMalloc(&db, n * sizeof(int)));
    CK(cudaMemcpy(dt, templ.data(), T * K * sizeof(half), cudaMemcpyHostToDevice));
    scan_patches<<<(unsigned)(((size_t)n * K + 255) / 256), 256>>>(dp, n);
    for (int b = 0; b < batches; ++b) {
        match_templates<<<n / ROWS, 256>>>(dp, dt, ds);
        best_template<<<(n + 7) / 8, 256>>>(ds, db, n);
    }
    CK(cudaGetLastError());
    std::vector<int> got(n);
    CK(cudaMemcpy(got.data(), db, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int q = 0; q < 40; ++q) {
        int p = (int)((long long)q * (n - 1) / 39), top = -1000000, at = 0;
        for (int t = 0; t < T; ++t) {
            int s = 0;
            for (int k = 0; k < K; ++k) s += ink(p, k) * stroke(t, k);
            if (s > top) { top = s; at = t; }
        }
        ok = ok && got[p] == at;
    }
    printf("patch 0 looks like template %d\n", got[0]);
    CK(cudaFree(dp)); CK(cudaFree(dt)); CK(cudaFree(ds)); CK(cudaFree(db));
    return report(ok);
}
