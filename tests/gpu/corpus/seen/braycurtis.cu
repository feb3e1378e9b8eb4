// Bray-Curtis dissimilarity between all pairs of ecological samples (species counts per sample),
// for one or more rarefaction depths.
#include "common.h"

static const int S = 16384;   // samples
static const int D = 1024;    // species; counts are stored species by species: cnt[d * S + s]

static __host__ __device__ float count_of(int d, int s)
{
    unsigned h = (unsigned)(d * 4099 + s) * 2654435761u;
    h ^= h >> 13; h *= 3266489917u; h ^= h >> 16;
    return (float)(h % 64u);
}

__global__ void fill_counts(float *cnt)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x, d = blockIdx.y;
    if (s < S) cnt[d * S + s] = count_of(d, s);
}

#ifdef GOOD
__global__ void __launch_bounds__(256) bray_curtis(const float *__restrict__ cnt, float *out, int depth)
{
    __shared__ __align__(16) float sa[16][64];
    __shared__ __align__(16) float sb[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float num[4][4] = {}, den[4][4] = {};
    for (int d0 = 0; d0 < depth; d0 += 16) {
        for (int e = tid; e < 16 * 64; e += 256) {
            int d = e / 64, s = e % 64;
            sa[d][s] = cnt[(d0 + d) * S + row0 + s];
            sb[d][s] = cnt[(d0 + d) * S + col0 + s];
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < 16; d++) {
            float a[4], b[4];
            for (int i = 0; i < 4; i++) { a[i] = sa[d][ty * 4 + i]; b[i] = sb[d][tx * 4 + i]; }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) {
                    num[i][j] += fabsf(a[i] - b[j]);
                    den[i][j] += a[i] + b[j];
                }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out[(size_t)(row0 + ty * 4 + i) * S + col0 + tx * 4 + j] = num[i][j] / (den[i][j] + 1.0f);
}
#else
__global__ void __launch_bounds__(256) bray_curtis(const float *__restrict__ cnt, float *out, int depth)
{
    int col = blockIdx.x * 16 + threadIdx.x;
    int row = blockIdx.y * 16 + threadIdx.y;
    float num = 0.0f, den = 0.0f;
    for (int d = 0; d < depth; d++) {
        float a = cnt[d * S + row], b = cnt[d * S + col];
        num += fabsf(a - b);
        den += a + b;
    }
    out[(size_t)row * S + col] = num / (den + 1.0f);
}
#endif

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    float *cnt, *out;
    CK(cudaMalloc(&cnt, (size_t)S * D * sizeof(float)));
    CK(cudaMalloc(&out, (size_t)S * S * sizeof(float)));
    fill_counts<<<dim3(S / 256, D), 256>>>(cnt);
    CK(cudaGetLastError());
    int depth = D;
    for (int r = 0; r < rounds; r++) {
        depth = D - 16 * ((rounds - 1 - r) % 4);
#ifdef GOOD
        bray_curtis<<<dim3(S / 64, S / 64), dim3(16, 16)>>>(cnt, out, depth);
#else
        bray_curtis<<<dim3(S / 16, S / 16), dim3(16, 16)>>>(cnt, out, depth);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    const int pr[4][2] = {{0, 1}, {17, 4000}, {2048, 2048}, {4095, 3}};
    for (auto &p : pr) {
        double num = 0, den = 0;
        for (int d = 0; d < depth; d++) {
            double a = count_of(d, p[0]), b = count_of(d, p[1]);
            num += fabs(a - b);
            den += a + b;
        }
        float v;
        CK(cudaMemcpy(&v, out + (size_t)p[0] * S + p[1], sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, num / (den + 1.0), 1e-4);
    }
    cudaFree(cnt); cudaFree(out);
    return report(ok);
}
