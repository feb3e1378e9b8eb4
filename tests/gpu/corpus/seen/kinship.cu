// Genomic relationship matrix: K = G G^T over many SNPs, four genotypes (-1, 0, 1) a word.
// Layout of the genotypes: word after word, the individuals side by side.
//   kinship [individuals] [words]
#include "common.h"

#define CENTRE(h) ((int)((h) % 3u) - 1)

__host__ __device__ inline unsigned mix(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352dU; h ^= h >> 15; h *= 0x846ca68bU; h ^= h >> 16;
    return h;
}

__host__ __device__ inline int genotypes(unsigned word, unsigned individual)
{
    unsigned h = mix(word * 65537u + individual), r = 0;
    for (int k = 0; k < 4; k++) r |= (unsigned)(CENTRE(h >> (8 * k) & 255) & 255) << (8 * k);
    return (int)r;
}

__global__ void simulate(int *g, int words, int n)
{
    size_t all = (size_t)words * n;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all; i += (size_t)gridDim.x * blockDim.x)
        g[i] = genotypes((unsigned)(i / n), (unsigned)(i % n));
}

#ifndef GOOD
__global__ void relate(const int *__restrict__ g, int *__restrict__ k, int words, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n) return;
    int sum = 0;
    for (int w = 0; w < words; w++)
        sum = __dp4a(g[(size_t)w * n + i], g[(size_t)w * n + j], sum);
    k[(size_t)i * n + j] = sum;
}
#else
#define T 64
#define DEPTH 16
__global__ void __launch_bounds__(256) relate(const int *__restrict__ g, int *__restrict__ k, int words, int n)
{
    __shared__ __align__(16) int a[DEPTH][T], b[DEPTH][T];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int i0 = blockIdx.y * T, j0 = blockIdx.x * T;
    int sum[4][4] = {};
    for (int w0 = 0; w0 < words; w0 += DEPTH) {
        for (int e = t; e < DEPTH * T; e += 256) {
            int w = e / T, c = e % T;
            a[w][c] = g[(size_t)(w0 + w) * n + i0 + c];
            b[w][c] = g[(size_t)(w0 + w) * n + j0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int w = 0; w < DEPTH; w++) {
            int4 x = *(const int4 *)&a[w][ty * 4], y = *(const int4 *)&b[w][tx * 4];
            int xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++) sum[p][q] = __dp4a(xs[p], ys[q], sum[p][q]);
        }
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        *(int4 *)&k[(size_t)(i0 + ty * 4 + p) * n + j0 + tx * 4] = make_int4(sum[p][0], sum[p][1], sum[p][2], sum[p][3]);
}
#endif

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4096, words = argc > 2 ? atoi(argv[2]) : 8192;
    if (n % 64 || words % 16) { fprintf(stderr, "individuals must be a multiple of 64, words of 16\n"); return 2; }
    int *g, *k;
    CK(cudaMalloc(&g, (size_t)words * n * sizeof(int)));
    CK(cudaMalloc(&k, (size_t)n * n * sizeof(int)));
    simulate<<<1056, 256>>>(g, words, n);
    CK(cudaGetLastError());
    dim3 threads(16, 16);
#ifndef GOOD
    dim3 grid(n / 16, n / 16);
#else
    dim3 grid(n / T, n / T);
#endif
    relate<<<grid, threads>>>(g, k, words, n);
    CK(cudaGetLastError());
    std::vector<int> h((size_t)n * n);
    CK(cudaMemcpy(h.data(), k, h.size() * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned s = 5;
    for (int test = 0; test < 200; test++) {
        int i = lcg(s) % n, j = lcg(s) % n, want = 0;
        for (int w = 0; w < words; w++) {
            int x = genotypes(w, i), y = genotypes(w, j);
            for (int b = 0; b < 32; b += 8) want += (int)(signed char)(x >> b) * (int)(signed char)(y >> b);
        }
        ok = ok && h[(size_t)i * n + j] == want;
    }
    printf("k(0,0) = %d of %d SNPs\n", h[0], words * 4);
    return report(ok);
}
