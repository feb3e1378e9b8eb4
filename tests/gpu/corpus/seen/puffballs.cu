// Dandelion seeds over a valley: seeds start from a meadow, one per cell, and are carried by the wind of the map
// (interpolated between its points) until they have sunk to the ground. One round per kind of seed.
// usage: puffballs width height rounds
#include "common.h"

#define MEADOW 1024          // cells along each side
#define MOVES 120

__host__ __device__ inline void drift(float &x, float &y, const float2 *wind, int w, int h, float share)
{
    int i = (int)x, j = (int)y;
    float fx = x - (float)i, fy = y - (float)j;
    const float2 *p = wind + (size_t)j * w + i;
    float2 a = p[0], b = p[1], c = p[w], d = p[w + 1];
    float ux = a.x + fx * (b.x - a.x), lx = c.x + fx * (d.x - c.x);
    float uy = a.y + fx * (b.y - a.y), ly = c.y + fx * (d.y - c.y);
    x = fminf(fmaxf(x + share * (ux + fy * (lx - ux)), 0.0f), (float)w - 2.0f);
    y = fminf(fmaxf(y + share * (uy + fy * (ly - uy)), 0.0f), (float)h - 2.0f);
}

__global__ void fly(const float2 *__restrict__ wind, float2 *__restrict__ landed, int w, int h, float share)
{
    int sx = blockIdx.x * blockDim.x + threadIdx.x, sy = blockIdx.y * blockDim.y + threadIdx.y;
    float x = 400.0f + (float)sx + 0.25f, y = 300.0f + (float)sy + 0.5f;
    for (int m = 0; m < MOVES; ++m) drift(x, y, wind, w, h, share);
    landed[sy * MEADOW + sx] = make_float2(x, y);
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 4096;
    int h = argc > 2 ? atoi(argv[2]) : 2048;
    int rounds = argc > 3 ? atoi(argv[3]) : 500;
    const int seeds = MEADOW * MEADOW;
    size_t bytes = (size_t)w * h * sizeof(float2);
    float2 *map, *wind, *landed;
    CK(cudaMallocHost(&map, bytes));
    CK(cudaMalloc(&wind, bytes));
    CK(cudaMalloc(&landed, seeds * sizeof(float2)));
    std::vector<float> gustx(w), gusty(h);
    for (int x = 0; x < w; ++x) gustx[x] = sinf(0.011f * (float)x);
    for (int y = 0; y < h; ++y) gusty[y] = cosf(0.017f * (float)y);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            map[(size_t)y * w + x] = make_float2(1.2f + 0.6f * gusty[y], 0.4f * gustx[x] + 0.2f * gusty[y]);
    CK(cudaMemcpy(wind, map, bytes, cudaMemcpyHostToDevice));
    dim3 block(64, 4), grid(MEADOW / 64, MEADOW / 4);
    float share = 1.0f;
    for (int k = 0; k < rounds; ++k) {
        share = 0.5f + 0.5f * (float)(k + 1) / (float)rounds;
#ifndef GOOD
        CK(cudaMemcpyAsync(wind, map, bytes, cudaMemcpyHostToDevice));      // the wind for this round
#endif
        fly<<<grid, block>>>(wind, landed, w, h, share);
    }
    CK(cudaGetLastError());
    std::vector<float2> l(seeds);
    CK(cudaMemcpy(l.data(), landed, seeds * sizeof(float2), cudaMemcpyDeviceToHost));

    bool ok = true;
    double far = 0;
    for (int t = 0; t < 400; ++t) {
        int s = (int)((long long)t * (seeds - 1) / 399);
        float x = 400.0f + (float)(s % MEADOW) + 0.25f, y = 300.0f + (float)(s / MEADOW) + 0.5f;
        for (int m = 0; m < MOVES; ++m) drift(x, y, map, w, h, share);
        ok = ok && fabsf(l[s].x - x) < 0.1f && fabsf(l[s].y - y) < 0.1f;
        far += l[s].x - 400.0f - (float)(s % MEADOW);
    }
    printf("seeds fly %.2f cells to the east on average\n", far / 400);
    CK(cudaFreeHost(map)); CK(cudaFree(wind)); CK(cudaFree(landed));
    return report(ok);
}
