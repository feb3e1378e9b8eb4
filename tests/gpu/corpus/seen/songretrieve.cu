// Music recommender: scores of 4096 listeners against 16384 songs, embeddings of 256 halves, fp32 sums.
#include "common.h"
#include <cuda_fp16.h>
#ifdef GOOD
#include <mma.h>
using namespace nvcuda;
#endif

const int DIM = 256, TILE = 64, KT = 32;
#ifdef GOOD
const int LD = KT + 8;
#else
const int LD = KT + 2;
#endif

__global__ void embed(__half *e, int n, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (i + seed) * 2654435761u;
    h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 13;
    e[i] = __float2half((h & 1023) / 1024.0f - 0.5f);
}

__device__ __forceinline__ void stage(__half (*s)[LD], const __half *g, int row0, int k0)
{
    int r = threadIdx.x / 4, q = (threadIdx.x % 4) * 8;
    uint4 v = *(const uint4 *)(g + (size_t)(row0 + r) * DIM + k0 + q);
    unsigned *d = (unsigned *)&s[r][q];
    d[0] = v.x; d[1] = v.y; d[2] = v.z; d[3] = v.w;
}

__global__ void __launch_bounds__(256) scores(const __half *__restrict__ user, const __half *__restrict__ song,
                                              float *__restrict__ out, int songs)
{
    __shared__ __align__(32) __half us[TILE][LD], ss[TILE][LD];
    int u0 = blockIdx.y * TILE, s0 = blockIdx.x * TILE;
#ifdef GOOD
    int warp = threadIdx.x / 32, wr = (warp / 4) * 32, wc = (warp % 4) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
    wmma::fill_fragment(acc[0], 0.0f);
    wmma::fill_fragment(acc[1], 0.0f);
#else
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float acc[4][4] = {};
#endif
    for (int k0 = 0; k0 < DIM; k0 += KT) {
        stage(us, user, u0, k0);
        stage(ss, song, s0, k0);
        __syncthreads();
#ifdef GOOD
#pragma unroll
        for (int k = 0; k < KT; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
            wmma::load_matrix_sync(b, &ss[wc][k], LD);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a, &us[wr + 16 * i][k], LD);
                wmma::mma_sync(acc[i], a, b, acc[i]);
            }
        }
#else
#pragma unroll
        for (int k = 0; k < KT; k += 2) {
            float2 a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = __half22float2(*(const __half2 *)&us[ty + 16 * i][k]);
                b[i] = __half22float2(*(const __half2 *)&ss[tx + 16 * i][k]);
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    acc[i][j] += a[i].x * b[j].x;
                    acc[i][j] += a[i].y * b[j].y;
                }
        }
#endif
        __syncthreads();
    }
#ifdef GOOD
    for (int i = 0; i < 2; i++)
        wmma::store_matrix_sync(out + (size_t)(u0 + wr + 16 * i) * songs + s0 + wc, acc[i], songs, wmma::mem_row_major);
#else
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) out[(size_t)(u0 + ty + 16 * i) * songs + s0 + tx + 16 * j] = acc[i][j];
#endif
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 100;
    const int users = 4096, songs = 16384;
    __half *u, *s;
    float *out;
    CK(cudaMalloc(&u, users * DIM * sizeof(__half)));
    CK(cudaMalloc(&s, songs * DIM * sizeof(__half)));
    CK(cudaMalloc(&out, (size_t)users * songs * sizeof(float)));
    embed<<<users * DIM / 256, 256>>>(u, users * DIM, 1);
    embed<<<songs * DIM / 256, 256>>>(s, songs * DIM, 12345);
    CK(cudaGetLastError());
    for (int b = 0; b < batches; b++) scores<<<dim3(songs / TILE, users / TILE), 256>>>(u, s, out, songs);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<__half> hu(users * DIM), hs(songs * DIM);
    std::vector<float> row(songs);
    CK(cudaMemcpy(hu.data(), u, hu.size() * sizeof(__half), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hs.data(), s, hs.size() * sizeof(__half), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 5; r < users; r += 1021) {
        CK(cudaMemcpy(row.data(), out + (size_t)r * songs, songs * sizeof(float), cudaMemcpyDeviceToHost));
        for (int c = 0; c < songs; c += 129) {
            double ref = 0;
            for (int k = 0; k < DIM; k++) ref += (double)__half2float(hu[r * DIM + k]) * __half2float(hs[c * DIM + k]);
            if (fabs(row[c] - ref) > 2e-3) ok = false;
        }
    }
    CK(cudaFree(u)); CK(cudaFree(s)); CK(cudaFree(out));
    return report(ok);
}
