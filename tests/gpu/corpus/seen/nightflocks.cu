// Bird migration: density of flocks over a map is carried by the wind and their own flight from night to night; the map
// of every night goes to the atlas on the host.
// usage: nightflocks width height nights
#include "common.h"

#define THREADS 256
#define ATLAS 4              // maps that the atlas writer holds

struct Map {
    float *cell;
#ifndef GOOD
    std::vector<float> store;
#endif
    explicit Map(size_t n)
    {
#ifdef GOOD
        CK(cudaMallocHost(&cell, n * sizeof(float)));
#else
        store.resize(n);
        cell = store.data();
#endif
    }
    void done()
    {
#ifdef GOOD
        CK(cudaFreeHost(cell));
#endif
    }
};

__host__ __device__ inline float flocksAt(int x, int y)
{
    return 1.0f + (float)((x * 37 + y * 101) % 64) * 0.05f;
}

// part that leaves to the south and to the west
__host__ __device__ inline float south(int night) { return 0.3f + 0.02f * (float)(night % 9); }
__host__ __device__ inline float west(int night) { return 0.05f * (float)(night % 5); }

__global__ void breed(float *density, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < w) density[(size_t)blockIdx.y * w + x] = flocksAt(x, blockIdx.y);
}

// four cells per thread; the map is closed in both directions
__global__ void __launch_bounds__(THREADS) fly(const float *__restrict__ density, float *__restrict__ next, int w, int h,
                                               float toSouth, float toWest)
{
    const int x = (blockIdx.x * THREADS + threadIdx.x) * 4, y = blockIdx.y;
    if (x >= w) return;
    const float *row = density + (size_t)y * w;
    float4 c = *(const float4 *)(row + x);
    float4 n = *(const float4 *)(density + (size_t)(y ? y - 1 : h - 1) * w + x);
    float e = row[x + 4 < w ? x + 4 : 0];
    const float stay = 1.0f - toSouth - toWest;
    *(float4 *)(next + (size_t)y * w + x) =
        make_float4(stay * c.x + toSouth * n.x + toWest * c.y, stay * c.y + toSouth * n.y + toWest * c.z,
                    stay * c.z + toSouth * n.z + toWest * c.w, stay * c.w + toSouth * n.w + toWest * e);
}

int main(int argc, char **argv)
{
    const int w = (argc > 1 ? atoi(argv[1]) : 4096) / 4 * 4, h = argc > 2 ? atoi(argv[2]) : 2048;
    const int nights = argc > 3 ? atoi(argv[3]) : 240;
    const size_t n = (size_t)w * h, bytes = n * sizeof(float);
    float *density, *next;
    CK(cudaMalloc(&density, bytes));
    CK(cudaMalloc(&next, bytes));
    Map atlas[ATLAS] = {Map(n), Map(n), Map(n), Map(n)};
    breed<<<dim3((w + 255) / 256, h), 256>>>(density, w, h);
    double station = 0;
    for (int k = 0; k < nights; ++k) {
        fly<<<dim3((w / 4 + THREADS - 1) / THREADS, h), THREADS>>>(density, next, w, h, south(k), west(k));
        CK(cudaGetLastError());
        std::swap(density, next);
        CK(cudaMemcpy(atlas[k % ATLAS].cell, density, bytes, cudaMemcpyDeviceToHost));
        station += atlas[k % ATLAS].cell[(size_t)(h / 2) * w + w / 3];
    }

    // from the map before to the last one, and nobody is lost
    bool ok = true;
    if (nights >= 2) {
        const float *a = atlas[(nights - 2) % ATLAS].cell, *b = atlas[(nights - 1) % ATLAS].cell;
        const double s = south(nights - 1), t = west(nights - 1);
        for (int q = 0; q < 200000; ++q) {
            size_t i = (size_t)((unsigned long long)q * (n - 1) / 199999);
            int x = (int)(i % w), y = (int)(i / w);
            double want = (1.0 - s - t) * a[i] + s * a[(size_t)(y ? y - 1 : h - 1) * w + x]
                        + t * a[(size_t)y * w + (x + 1 < w ? x + 1 : 0)];
            ok = ok && close_to(b[i], want, 1e-5);
        }
    }
    double all = 0, before = 0;
    const float *last = atlas[(nights - 1) % ATLAS].cell;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            all += last[(size_t)y * w + x];
            before += flocksAt(x, y);
        }
    ok = ok && close_to(all, before, 1e-4);
    printf("flocks %.0f, at the station %.4f a night\n", all, station / nights);
    for (auto &m : atlas) m.done();
    CK(cudaFree(density)); CK(cudaFree(next));
    return report(ok);
}
