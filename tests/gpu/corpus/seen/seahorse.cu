// The Mandelbrot set by tiles (Mariani and Silver): where the whole edge of a tile has
// one colour the tile is filled with it, otherwise all of its points are worked out.
#include "common.h"

const int TILE = 32, LIMIT = 384;

struct View { double x, y, step; };

__host__ __device__ inline int dwell(View v, int px, int py)
{
    float cx = (float)(v.x + px * v.step), cy = (float)(v.y + py * v.step), x = 0, y = 0;
    int k = 0;
    while (k < LIMIT && x * x + y * y < 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        k++;
    }
    return k;
}

__global__ void points(View v, unsigned short *image, int size, int tx, int ty)
{
    int x = tx * TILE + threadIdx.x, y = ty * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        image[(size_t)(y + j) * size + x] = dwell(v, x, y + j);
}

__global__ void flat(unsigned short *image, int size, int tx, int ty, int k)
{
    int x = tx * TILE + threadIdx.x, y = ty * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8) image[(size_t)(y + j) * size + x] = k;
}

// The edge's colour, or -1 if it has several. All lanes of a warp look at it.
__device__ inline int edge(View v, int tx, int ty)
{
    int lane = threadIdx.x % 32, x = tx * TILE, y = ty * TILE;
    int a = dwell(v, x + lane, y), b = dwell(v, x + lane, y + TILE - 1);
    int c = dwell(v, x, y + lane), d = dwell(v, x + TILE - 1, y + lane);
    int first = __shfl_sync(~0u, a, 0);
    return __all_sync(~0u, a == first && b == first && c == first && d == first) ? first
                                                                                 : -1;
}

#ifdef GOOD
__global__ void look(View v, short *colour, int across)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (t >= across * across) return;
    int k = edge(v, t % across, t / across);
    if (threadIdx.x % 32 == 0) colour[t] = k;
}

__global__ void paint(View v, const short *colour, unsigned short *image, int size)
{
    int k = colour[blockIdx.y * gridDim.x + blockIdx.x];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        image[(size_t)(y + j) * size + x] = k < 0 ? dwell(v, x, y + j) : k;
}
#else
__global__ void look(View v, unsigned short *image, int size, int across, int *failed)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (t >= across * across) return;
    int tx = t % across, ty = t / across, k = edge(v, tx, ty);
    if (threadIdx.x % 32 == 0) {
        if (k < 0)
            points<<<1, dim3(TILE, 8)>>>(v, image, size, tx, ty);
        else
            flat<<<1, dim3(TILE, 8)>>>(image, size, tx, ty, k);
        if (cudaGetLastError() != cudaSuccess) atomicAdd(failed, 1);
    }
}
#endif

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 24, size = argc > 2 ? atoi(argv[2]) : 3072;
    int across = size / TILE, tiles = across * across;
    unsigned short *image;
    int *failed;
    CK(cudaMalloc(&image, (size_t)size * size * 2));
    CK(cudaMalloc(&failed, 4));
    CK(cudaMemset(failed, 0, 4));
#ifdef GOOD
    short *colour;
    CK(cudaMalloc(&colour, tiles * 2));
#else
    CK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, tiles + 1024));
#endif
    View v;
    for (int f = 0; f < frames; f++) {
        double wide = 2.8 * pow(0.86, f);
        v.step = wide / size;
        v.x = -0.7453 - 0.5 * wide;
        v.y = 0.1127 - 0.5 * wide;
#ifdef GOOD
        look<<<(tiles + 3) / 4, 128>>>(v, colour, across);
        paint<<<dim3(across, across), dim3(TILE, 8)>>>(v, colour, image, size);
#else
        look<<<(tiles + 3) / 4, 128>>>(v, image, size, across, failed);
#endif
        CK(cudaGetLastError());
    }
    CK(cudaDeviceSynchronize());
    int lost = 0;
    CK(cudaMemcpy(&lost, failed, 4, cudaMemcpyDeviceToHost));
    std::vector<unsigned short> h((size_t)size * size);
    CK(cudaMemcpy(h.data(), image, h.size() * 2, cudaMemcpyDeviceToHost));
    int tried = 0, same = 0;
    for (size_t i = 0; i < h.size(); i += h.size() / 4000 + 1, tried++)
        same += abs(dwell(v, i % size, i / size) - h[i]) <= 1;
    double sum = 0;
    for (unsigned short k : h) sum += k;
    printf("mean dwell %.1f\n", sum / h.size());
    return report(lost == 0 && same >= tried * 0.97);
}
