// Radio interferometer: the "dirty map" of a strip of sky, a direct sum over the visibilities of all baselines.
//   dirtymap [hours]
#include "common.h"

const int ROWS = 268, COLS = 16384, VIS = 256;

struct Visibility { float u, v, amp, phase; };

__device__ __forceinline__ void turn(float4 *ready, int k, const Visibility *vis, float m, float cs, float sn)
{
    Visibility a = vis[k];
    float u = cs * a.u - sn * a.v, v = sn * a.u + cs * a.v;
    ready[k] = make_float4(u, v * m + a.phase, a.amp, 0);
}

__device__ __forceinline__ void two_pixels(const float4 *ready, float l0, float l1, float &s0, float &s1)
{
    s0 = s1 = 0;
#pragma unroll 8
    for (int k = 0; k < VIS; k++) {
        float4 b = ready[k];
        s0 += b.z * __cosf(b.x * l0 + b.y);
        s1 += b.z * __cosf(b.x * l1 + b.y);
    }
}

#ifdef GOOD
const int THREADS = 256;

// a block takes 512 pixels of a row
__global__ void __launch_bounds__(THREADS) dirty(const Visibility *__restrict__ vis, float *__restrict__ map, float cell, float cs, float sn)
{
    __shared__ float4 ready[VIS];
    float m = (blockIdx.y - ROWS / 2.0f) * cell;
    turn(ready, threadIdx.x, vis, m, cs, sn);
    __syncthreads();
    int x = blockIdx.x * 2 * THREADS + threadIdx.x;
    float s0, s1;
    two_pixels(ready, (x - COLS / 2) * cell, (x + THREADS - COLS / 2) * cell, s0, s1);
    float *row = map + (size_t)blockIdx.y * COLS;
    row[x] = s0;
    row[x + THREADS] = s1;
}
#else
const int THREADS = 1024;

// a block takes a row
__global__ void __launch_bounds__(THREADS, 2) dirty(const Visibility *__restrict__ vis, float *__restrict__ map, float cell, float cs, float sn)
{
    __shared__ float4 ready[VIS];
    float m = (blockIdx.x - ROWS / 2.0f) * cell;
    if (threadIdx.x < VIS) turn(ready, threadIdx.x, vis, m, cs, sn);
    __syncthreads();
    float *row = map + (size_t)blockIdx.x * COLS;
    for (int x = threadIdx.x; x < COLS; x += 2 * THREADS) {
        float s0, s1;
        two_pixels(ready, (x - COLS / 2) * cell, (x + THREADS - COLS / 2) * cell, s0, s1);
        row[x] = s0;
        row[x + THREADS] = s1;
    }
}
#endif

int main(int argc, char **argv)
{
    int hours = argc > 1 ? atoi(argv[1]) : 2400;
    const float cell = 1e-6f;
    std::vector<Visibility> vis(VIS);
    unsigned seed = 1937;
    for (Visibility &a : vis) a = { 2500 * (2 * frand(seed) - 1), 2500 * (2 * frand(seed) - 1), 0.5f + frand(seed), 6 * frand(seed) };
    Visibility *d;
    float *map;
    CK(cudaMalloc(&d, VIS * sizeof(Visibility)));
    CK(cudaMalloc(&map, (size_t)ROWS * COLS * sizeof(float)));
    CK(cudaMemcpy(d, vis.data(), VIS * sizeof(Visibility), cudaMemcpyHostToDevice));
    float cs = 1, sn = 0;
    for (int t = 0; t < hours; t++) {
        cs = cosf(0.01f * (t % 100));
        sn = sinf(0.01f * (t % 100));
#ifdef GOOD
        dirty<<<dim3(COLS / (2 * THREADS), ROWS), THREADS>>>(d, map, cell, cs, sn);
#else
        dirty<<<ROWS, THREADS>>>(d, map, cell, cs, sn);
#endif
    }
    CK(cudaGetLastError());
    std::vector<float> h((size_t)ROWS * COLS);
    CK(cudaMemcpy(h.data(), map, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    double most = 0;
    for (size_t q = 0; q < h.size(); q += 4001) {
        double l = ((int)(q % COLS) - COLS / 2) * (double)cell, m = ((double)(q / COLS) - ROWS / 2.0) * cell, s = 0;
        for (const Visibility &a : vis)
            s += a.amp * cos(((double)cs * a.u - (double)sn * a.v) * l + ((double)sn * a.u + (double)cs * a.v) * m + a.phase);
        ok = ok && fabs(h[q] - s) < 0.02;
        most = std::max(most, fabs(s));
    }
    printf("brightest of the samples: %.2f\n", most);
    ok = ok && most > 1;
    CK(cudaFree(d)); CK(cudaFree(map));
    return report(ok);
}
