// Pointwise (1x1) convolution layer with ReLU in FP16, NHWC: every pixel's 256 input
// channels are mapped to 256 output channels.
#include "common.h"
#include <cuda_fp16.h>
#include <mma.h>

#ifndef PIX
#define PIX (64 * 56 * 56)
#endif
#define CI 256
#define CO 256
#define KS 32        // channels staged at a time
#define LDK 40
#define LDC 68

static __host__ __device__ inline float value(size_t k, unsigned salt)
{
    unsigned u = ((unsigned)k + salt) * 2654435761u;
    u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
    return ((int)(u & 63u) - 32) * (1.0f / 64.0f);
}

__global__ void fill(half *p, size_t n, unsigned salt)
{
    size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k < n) p[k] = __float2half(value(k, salt));
}

__global__ void __launch_bounds__(128) conv1x1(const half *__restrict__ x, const half *__restrict__ w,
                                               half *__restrict__ y)
{
    __shared__ __align__(16) half xs[64 * LDK];
    __shared__ __align__(16) half ws[64 * LDK];
    __shared__ __align__(16) float cs[64 * LDC];
    int tid = threadIdx.x;
    size_t p0 = (size_t)blockIdx.x * 64;
    int o0 = blockIdx.y * 64;
#ifdef GOOD
    using namespace nvcuda;
    int wr = (tid >> 6) * 32, wc = ((tid >> 5) & 1) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) wmma::fill_fragment(acc[r][c], 0.0f);
#else
    int tx = tid & 15, ty = tid >> 4;
    float acc[8][4] = {};
#endif
    for (int k0 = 0; k0 < CI; k0 += KS) {
        for (int q = tid; q < 64 * KS / 8; q += 128) {
            int r = q >> 2, c = (q & 3) * 8;
            *(uint4 *)&xs[r * LDK + c] = *(const uint4 *)&x[(p0 + r) * CI + k0 + c];
            *(uint4 *)&ws[r * LDK + c] = *(const uint4 *)&w[(size_t)(o0 + r) * CI + k0 + c];
        }
        __syncthreads();
#ifdef GOOD
        for (int k = 0; k < KS; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b[2];
            for (int r = 0; r < 2; r++) wmma::load_matrix_sync(a[r], &xs[(wr + 16 * r) * LDK + k], LDK);
            for (int c = 0; c < 2; c++) wmma::load_matrix_sync(b[c], &ws[(wc + 16 * c) * LDK + k], LDK);
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++) wmma::mma_sync(acc[r][c], a[r], b[c], acc[r][c]);
        }
#else
#pragma unroll 4
        for (int k = 0; k < KS; k += 2) {
            float2 a[8], b[4];
            for (int r = 0; r < 8; r++) a[r] = __half22float2(*(half2 *)&xs[(ty * 8 + r) * LDK + k]);
            for (int c = 0; c < 4; c++) b[c] = __half22float2(*(half2 *)&ws[(tx + 16 * c) * LDK + k]);
            for (int r = 0; r < 8; r++)
                for (int c = 0; c < 4; c++) acc[r][c] += a[r].x * b[c].x + a[r].y * b[c].y;
        }
#endif
        __syncthreads();
    }
#ifdef GOOD
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++)
            wmma::store_matrix_sync(&cs[(wr + 16 * r) * LDC + wc + 16 * c], acc[r][c], LDC, wmma::mem_row_major);
#else
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 4; c++) cs[(ty * 8 + r) * LDC + tx + 16 * c] = acc[r][c];
#endif
    __syncthreads();
    for (int q = tid; q < 64 * 32; q += 128) {
        int r = q >> 5, c = (q & 31) * 2;
        float u = fmaxf(cs[r * LDC + c], 0.0f), v = fmaxf(cs[r * LDC + c + 1], 0.0f);
        *(half2 *)&y[(p0 + r) * CO + o0 + c] = __floats2half2_rn(u, v);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 150;
    half *x, *w, *y;
    CK(cudaMalloc(&x, (size_t)PIX * CI * sizeof(half)));
    CK(cudaMalloc(&y, (size_t)PIX * CO * sizeof(half)));
    CK(cudaMalloc(&w, CI * CO * sizeof(half)));
    fill<<<(unsigned)(((size_t)PIX * CI + 255) / 256), 256>>>(x, (size_t)PIX * CI, 0);
    fill<<<CI * CO / 256, 256>>>(w, CI * CO, 991);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) conv1x1<<<dim3(PIX / 64, CO / 64), 128>>>(x, w, y);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    std::vector<half> row(CO);
    for (size_t p : {(size_t)0, (size_t)PIX / 2 + 13, (size_t)PIX - 1}) {
        CK(cudaMemcpy(row.data(), y + p * CO, CO * sizeof(half), cudaMemcpyDeviceToHost));
        for (int o = 0; o < CO; o++) {
            double s = 0;
            for (int c = 0; c < CI; c++) s += (double)value(p * CI + c, 0) * value((size_t)o * CI + c, 991);
            ok = ok && close_to(__half2float(row[o]), std::max(s, 0.0), 1e-2);
        }
    }
    CK(cudaFree(x)); CK(cudaFree(w)); CK(cudaFree(y));
    return report(ok);
}
