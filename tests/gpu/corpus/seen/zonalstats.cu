// Zonal statistics of a satellite band: sum and number of pixels for each of the
// 12 land-cover classes of a noisy classification raster.
#include "common.h"

constexpr int W = 8192, H = 4096, CLASSES = 12, BLOCK = 256;

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline unsigned char cover(unsigned i) { return mix(i >> 1) % CLASSES; }
__host__ __device__ inline float radiance(unsigned i) { return 0.1f + (mix(i ^ 0x77777777u) >> 8) * (1.0f / 16777216.0f); }

__global__ void make_raster(float *band, unsigned char *zone)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    band[i] = radiance(i);
    zone[i] = cover(i);
}

__global__ void __launch_bounds__(BLOCK) zonal(const float *band, const unsigned char *zone, double *sum, int *count)
{
    const float4 *b4 = (const float4 *)band;
    const uchar4 *z4 = (const uchar4 *)zone;
    const int t = threadIdx.x;
#ifdef GOOD
    __shared__ float s[CLASSES][BLOCK];
    __shared__ int c[CLASSES][BLOCK];
    for (int k = 0; k < CLASSES; k++) { s[k][t] = 0; c[k][t] = 0; }
#else
    __shared__ float s[CLASSES];
    __shared__ int c[CLASSES];
    if (t < CLASSES) { s[t] = 0; c[t] = 0; }
    __syncthreads();
#endif
    for (int i = blockIdx.x * BLOCK + t; i < W * H / 4; i += gridDim.x * BLOCK) {
        float4 v = b4[i];
        uchar4 z = z4[i];
#ifdef GOOD
        s[z.x][t] += v.x; c[z.x][t]++;
        s[z.y][t] += v.y; c[z.y][t]++;
        s[z.z][t] += v.z; c[z.z][t]++;
        s[z.w][t] += v.w; c[z.w][t]++;
#else
        atomicAdd(&s[z.x], v.x); atomicAdd(&c[z.x], 1);
        atomicAdd(&s[z.y], v.y); atomicAdd(&c[z.y], 1);
        atomicAdd(&s[z.z], v.z); atomicAdd(&c[z.z], 1);
        atomicAdd(&s[z.w], v.w); atomicAdd(&c[z.w], 1);
#endif
    }
    __syncthreads();
#ifdef GOOD
    for (int k = t / 32; k < CLASSES; k += BLOCK / 32) {
        float a = 0;
        int n = 0;
        for (int j = t % 32; j < BLOCK; j += 32) { a += s[k][j]; n += c[k][j]; }
        for (int o = 16; o; o >>= 1) {
            a += __shfl_down_sync(0xffffffffu, a, o);
            n += __shfl_down_sync(0xffffffffu, n, o);
        }
        if (t % 32 == 0) { atomicAdd(&sum[k], (double)a); atomicAdd(&count[k], n); }
    }
#else
    if (t < CLASSES) { atomicAdd(&sum[t], (double)s[t]); atomicAdd(&count[t], c[t]); }
#endif
}

int main(int argc, char **argv)
{
    int bands = argc > 1 ? atoi(argv[1]) : 400;
    float *band;
    unsigned char *zone;
    double *sum;
    int *count;
    CK(cudaMalloc(&band, (size_t)W * H * sizeof(float)));
    CK(cudaMalloc(&zone, (size_t)W * H));
    CK(cudaMalloc(&sum, CLASSES * sizeof(double)));
    CK(cudaMalloc(&count, CLASSES * sizeof(int)));
    make_raster<<<W * H / 256, 256>>>(band, zone);
    CK(cudaGetLastError());
    for (int b = 0; b < bands; b++) {
        CK(cudaMemsetAsync(sum, 0, CLASSES * sizeof(double)));
        CK(cudaMemsetAsync(count, 0, CLASSES * sizeof(int)));
        zonal<<<132 * 8, BLOCK>>>(band, zone, sum, count);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    double gs[CLASSES], ws[CLASSES] = {};
    int gc[CLASSES], wc[CLASSES] = {};
    CK(cudaMemcpy(gs, sum, sizeof gs, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(gc, count, sizeof gc, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < (unsigned)W * H; i++) { ws[cover(i)] += radiance(i); wc[cover(i)]++; }
    bool ok = true;
    for (int k = 0; k < CLASSES; k++) ok = ok && gc[k] == wc[k] && close_to(gs[k], ws[k], 1e-4);
    CK(cudaFree(band)); CK(cudaFree(zone)); CK(cudaFree(sum)); CK(cudaFree(count));
    return report(ok);
}
