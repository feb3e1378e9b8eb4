// Peat cores: every measured spectrum is compared with every reference spectrum of the library.
// The distance is the sum of absolute differences over the bins (the numerator of Bray-Curtis).
// Spectra are stored bin by bin, as the spectrometer delivers them.
#include "common.h"

static const int N = 32768;     // measured spectra
static const int M = 32768;     // library spectra
static const int BINS = 256;

__host__ __device__ inline float bin_value(unsigned set, unsigned bin, unsigned s)
{
    unsigned h = set * 0x9E3779B9u + bin * 0x85EBCA6Bu + s * 0xC2B2AE35u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    return (h & 1023) * (1.0f / 1024.0f);
}

__global__ void fill(float *a, unsigned set, int count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)count * BINS)
        a[i] = bin_value(set, (unsigned)(i / count), (unsigned)(i % count));
}

#ifdef GOOD
static const int TK = 16;

__global__ void __launch_bounds__(256) distances(const float *__restrict__ a, const float *__restrict__ b,
                                                 float *__restrict__ d)
{
    __shared__ float sa[TK][64], sb[TK][64];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < BINS; k0 += TK) {
        *(float4 *)&sa[ty][tx * 4] = *(const float4 *)&a[(size_t)(k0 + ty) * N + i0 + tx * 4];
        *(float4 *)&sb[ty][tx * 4] = *(const float4 *)&b[(size_t)(k0 + ty) * M + j0 + tx * 4];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TK; ++k) {
            float4 u = *(const float4 *)&sa[k][ty * 4];
            float4 v = *(const float4 *)&sb[k][tx * 4];
            float uu[4] = {u.x, u.y, u.z, u.w}, vv[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int p = 0; p < 4; ++p)
#pragma unroll
                for (int q = 0; q < 4; ++q) acc[p][q] += fabsf(uu[p] - vv[q]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < 4; ++p)
        *(float4 *)&d[(size_t)(i0 + ty * 4 + p) * M + j0 + tx * 4] =
            make_float4(acc[p][0], acc[p][1], acc[p][2], acc[p][3]);
}
#else
__global__ void __launch_bounds__(256) distances(const float *__restrict__ a, const float *__restrict__ b,
                                                 float *__restrict__ d)
{
    const int j = blockIdx.x * 16 + threadIdx.x % 16;
    const int i = blockIdx.y * 16 + threadIdx.x / 16;
    float acc = 0.0f;
    for (int k = 0; k < BINS; ++k)
        acc += fabsf(a[(size_t)k * N + i] - b[(size_t)k * M + j]);
    d[(size_t)i * M + j] = acc;
}
#endif

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    float *a, *b, *d;
    CK(cudaMalloc(&a, sizeof(float) * N * BINS));
    CK(cudaMalloc(&b, sizeof(float) * M * BINS));
    CK(cudaMalloc(&d, sizeof(float) * (size_t)N * M));
    fill<<<(N * BINS + 255) / 256, 256>>>(a, 1, N);
    fill<<<(M * BINS + 255) / 256, 256>>>(b, 2, M);
    CK(cudaGetLastError());
#ifdef GOOD
    dim3 grid(M / 64, N / 64);
#else
    dim3 grid(M / 16, N / 16);
#endif
    for (int r = 0; r < rounds; ++r)
        distances<<<grid, 256>>>(a, b, d);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned seed = 5;
    for (int t = 0; t < 16; ++t) {
        int i = lcg(seed) % N, j = lcg(seed) % M;
        float got;
        CK(cudaMemcpy(&got, d + (size_t)i * M + j, sizeof got, cudaMemcpyDeviceToHost));
        double want = 0;
        for (int k = 0; k < BINS; ++k) want += fabs((double)bin_value(1, k, i) - bin_value(2, k, j));
        ok = ok && close_to(got, want, 1e-4);
    }
    CK(cudaFree(a)); CK(cudaFree(b)); CK(cudaFree(d));
    return report(ok);
}
