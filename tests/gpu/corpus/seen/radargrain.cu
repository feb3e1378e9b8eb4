// Removes the speckle from radar amplitude images: the median of the 5x5 surroundings of every
// pixel, then a running mean over the passes of the satellite.
#include "common.h"

#ifndef WIDE
#define WIDE 4096
#define HIGH 4096
#endif
const int PASSES = 4, R = 2, TAPS = (2 * R + 1) * (2 * R + 1);
typedef unsigned short amp;

__host__ __device__ inline unsigned noise(unsigned k)
{
    k ^= k >> 16; k *= 0x7feb352du; k ^= k >> 15; k *= 0x846ca68bu;
    return k ^ (k >> 16);
}

// multiplicative speckle over a few fields
__global__ void scene(amp *img, unsigned pass)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    unsigned field = noise((x / 97) * 31u + y / 61) % 200 + 40;
    unsigned a = noise(pass * 0x9e3779b9u + y * WIDE + x) & 127, b = noise(~(pass * 77u + y * WIDE + x)) & 127;
    img[(size_t)y * WIDE + x] = (amp)(field * (a + b + 2));
}

__device__ inline int middle(int *v)
{
#ifdef GOOD
#pragma unroll
    for (int i = 0; i <= TAPS / 2; i++)
#pragma unroll
        for (int j = i + 1; j < TAPS; j++) {
            int lo = min(v[i], v[j]), hi = max(v[i], v[j]);
            v[i] = lo;
            v[j] = hi;
        }
#else
    for (int i = 1; i < TAPS; i++) {
        int a = v[i], j = i;
        while (j > 0 && v[j - 1] > a) {
            v[j] = v[j - 1];
            j--;
        }
        v[j] = a;
    }
#endif
    return v[TAPS / 2];
}

__global__ void __launch_bounds__(256) despeckle(const amp *__restrict__ in, amp *__restrict__ out)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    int v[TAPS];
#pragma unroll
    for (int dy = -R; dy <= R; dy++) {
        int yy = min(max(y + dy, 0), HIGH - 1);
#pragma unroll
        for (int dx = -R; dx <= R; dx++) {
            int xx = min(max(x + dx, 0), WIDE - 1);
            v[(dy + R) * (2 * R + 1) + dx + R] = in[(size_t)yy * WIDE + xx];
        }
    }
    out[(size_t)y * WIDE + x] = (amp)middle(v);
}

__global__ void running_mean(const amp *__restrict__ img, float *__restrict__ mean, float weight)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    mean[i] += weight * (img[i] - mean[i]);
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 500;
    const size_t n = (size_t)WIDE * HIGH;
    amp *img[PASSES], *clean;
    float *mean;
    for (int p = 0; p < PASSES; p++) {
        CK(cudaMalloc(&img[p], n * sizeof(amp)));
        scene<<<dim3(WIDE / 256, HIGH), 256>>>(img[p], p);
    }
    CK(cudaMalloc(&clean, n * sizeof(amp)));
    CK(cudaMalloc(&mean, n * sizeof(float)));
    CK(cudaMemset(mean, 0, n * sizeof(float)));
    for (int f = 0; f < frames; f++) {
        despeckle<<<dim3(WIDE / 64, HIGH / 4), dim3(64, 4)>>>(img[f % PASSES], clean);
        running_mean<<<n / 256, 256>>>(clean, mean, 1.0f / (f + 1));
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<amp> in(n), out(n);
    CK(cudaMemcpy(in.data(), img[(frames - 1) % PASSES], n * sizeof(amp), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(out.data(), clean, n * sizeof(amp), cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned seed = 271;
    for (int t = 0; t < 20000; t++) {
        int x = (int)(frand(seed) * WIDE), y = (int)(frand(seed) * HIGH), m = 0;
        if (t < 10) x = t % 3 ? t % 2 : WIDE - 1;
        amp v[TAPS];
        for (int dy = -R; dy <= R; dy++)
            for (int dx = -R; dx <= R; dx++) {
                int xx = std::min(std::max(x + dx, 0), WIDE - 1), yy = std::min(std::max(y + dy, 0), HIGH - 1);
                v[m++] = in[(size_t)yy * WIDE + xx];
            }
        std::nth_element(v, v + TAPS / 2, v + TAPS);
        ok = ok && out[(size_t)y * WIDE + x] == v[TAPS / 2];
    }
    float corner;
    CK(cudaMemcpy(&corner, mean, sizeof(float), cudaMemcpyDeviceToHost));
    ok = ok && corner > 0 && corner < 65536;
    for (int p = 0; p < PASSES; p++) CK(cudaFree(img[p]));
    CK(cudaFree(clean)); CK(cudaFree(mean));
    return report(ok);
}
