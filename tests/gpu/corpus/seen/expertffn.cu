// Mixture-of-experts feed-forward: every expert multiplies its own batch of
// tokens with its own up-projection and applies GELU. Activations and weights
// are stored in half precision.
#include "common.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

constexpr int EXPERTS = 8, TOK = 1024, DIM = 1024, HID = 4096;
constexpr int BM = 64, BN = 64, BK = 32;

__host__ __device__ inline float uval(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return (x >> 8) * (1.0f / 16777216.0f) - 0.5f;
}

__global__ void fill_half(__half *p, size_t n, unsigned seed, float scale)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = __float2half(scale * uval((unsigned)i + seed));
}

__device__ inline float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }

__global__ void __launch_bounds__(256) expert_up(const __half *X, const __half *W, __half *Y)
{
    __shared__ __align__(32) __half As[BM][BK + 8];
    __shared__ __align__(32) __half Bs[BK][BN + 8];
    const __half *x = X + (size_t)blockIdx.z * TOK * DIM + (size_t)blockIdx.y * BM * DIM;
    const __half *w = W + (size_t)blockIdx.z * DIM * HID + (size_t)blockIdx.x * BN;
    __half *y = Y + (size_t)blockIdx.z * TOK * HID + (size_t)blockIdx.y * BM * HID + blockIdx.x * BN;
    const int t = threadIdx.x;
    const int ar = t / 4, ac = (t % 4) * 8, br = t / 8, bc = (t % 8) * 8;
#ifdef GOOD
    __shared__ __align__(32) float Cs[BM][BN + 4];
    const int warp = t / 32, wr = (warp / 2) * 16, wc = (warp % 2) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
    wmma::fill_fragment(acc[0], 0.0f);
    wmma::fill_fragment(acc[1], 0.0f);
#else
    const int ty = (t / 16) * 4, tx = (t % 16) * 4;
    float acc[4][4] = {};
#endif
    for (int k0 = 0; k0 < DIM; k0 += BK) {
        *(uint4 *)&As[ar][ac] = *(const uint4 *)&x[(size_t)ar * DIM + k0 + ac];
        *(uint4 *)&Bs[br][bc] = *(const uint4 *)&w[(size_t)(k0 + br) * HID + bc];
        __syncthreads();
#ifdef GOOD
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
            wmma::load_matrix_sync(a, &As[wr][kk], BK + 8);
            for (int j = 0; j < 2; j++) {
                wmma::load_matrix_sync(b, &Bs[kk][wc + 16 * j], BN + 8);
                wmma::mma_sync(acc[j], a, b, acc[j]);
            }
        }
#else
#pragma unroll 8
        for (int k = 0; k < BK; k++) {
            float a[4];
            for (int i = 0; i < 4; i++) a[i] = __half2float(As[ty + i][k]);
            const __half2 *bp = (const __half2 *)&Bs[k][tx];
            float2 b0 = __half22float2(bp[0]), b1 = __half22float2(bp[1]);
            for (int i = 0; i < 4; i++) {
                acc[i][0] += a[i] * b0.x;
                acc[i][1] += a[i] * b0.y;
                acc[i][2] += a[i] * b1.x;
                acc[i][3] += a[i] * b1.y;
            }
        }
#endif
        __syncthreads();
    }
#ifdef GOOD
    wmma::store_matrix_sync(&Cs[wr][wc], acc[0], BN + 4, wmma::mem_row_major);
    wmma::store_matrix_sync(&Cs[wr][wc + 16], acc[1], BN + 4, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < BM * BN / 2; i += 256) {
        int r = i / (BN / 2), c = (i % (BN / 2)) * 2;
        *(__half2 *)&y[(size_t)r * HID + c] = __floats2half2_rn(gelu(Cs[r][c]), gelu(Cs[r][c + 1]));
    }
#else
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j += 2)
            *(__half2 *)&y[(size_t)(ty + i) * HID + tx + j] =
                __floats2half2_rn(gelu(acc[i][j]), gelu(acc[i][j + 1]));
#endif
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 60;
    size_t nx = (size_t)EXPERTS * TOK * DIM, nw = (size_t)EXPERTS * DIM * HID, ny = (size_t)EXPERTS * TOK * HID;
    __half *X, *W, *Y;
    CK(cudaMalloc(&X, nx * sizeof(__half)));
    CK(cudaMalloc(&W, nw * sizeof(__half)));
    CK(cudaMalloc(&Y, ny * sizeof(__half)));
    fill_half<<<1024, 256>>>(X, nx, 11u, 1.0f);
    fill_half<<<1024, 256>>>(W, nw, 900000007u, 0.25f);
    CK(cudaGetLastError());

    dim3 grid(HID / BN, TOK / BM, EXPERTS);
    for (int l = 0; l < layers; l++)
        expert_up<<<grid, 256>>>(X, W, Y);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 12; q++) {
        int e = q % EXPERTS, m = (q * 197 + 5) % TOK, n = (q * 1031 + 17) % HID;
        double s = 0;
        for (int k = 0; k < DIM; k++) {
            size_t ix = (size_t)e * TOK * DIM + (size_t)m * DIM + k, iw = (size_t)e * DIM * HID + (size_t)k * HID + n;
            s += (double)__half2float(__float2half(uval((unsigned)ix + 11u))) *
                 __half2float(__float2half(0.25f * uval((unsigned)iw + 900000007u)));
        }
        double want = 0.5 * s * (1.0 + erf(s * 0.70710678));
        __half h;
        CK(cudaMemcpy(&h, Y + (size_t)e * TOK * HID + (size_t)m * HID + n, sizeof h, cudaMemcpyDeviceToHost));
        ok = ok && close_to(__half2float(h), want, 1e-2);
    }
    CK(cudaFree(X)); CK(cudaFree(W)); CK(cudaFree(Y));
    return report(ok);
}
