// Conway's Game of Life on a torus. (Assignment 3)
#include "common.h"

typedef unsigned char cell_t;

__host__ __device__ inline int next_state(int alive, int neighbours)
{
    return neighbours == 3 || (alive && neighbours == 2);
}

__global__ void generation(const cell_t *now, cell_t *next, int width, int height)
{
#ifndef GOOD
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    int x = i % width, y = i / width;
    int count = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0) {
                int nx = (x + dx + width) % width;
                int ny = (y + dy + height) % height;
                count += now[ny * width + nx];
            }
#else
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int i = y * width + x;
    if (x >= width) return;
    int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    int up = (y == 0 ? height - 1 : y - 1) * width, down = (y == height - 1 ? 0 : y + 1) * width;
    int row = y * width;
    int count = now[up + left] + now[up + x] + now[up + right] + now[row + left] + now[row + right] +
                now[down + left] + now[down + x] + now[down + right];
#endif
    next[i] = next_state(now[i], count);
}

static void on_host(const cell_t *now, cell_t *next, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int c = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dx || dy) c += now[(y + dy + h) % h * w + (x + dx + w) % w];
            next[y * w + x] = next_state(now[y * w + x], c);
        }
}

static void on_device(std::vector<cell_t> &field, int w, int h, int generations)
{
    cell_t *a, *b;
    CK(cudaMalloc(&a, field.size()));
    CK(cudaMalloc(&b, field.size()));
    CK(cudaMemcpy(a, field.data(), field.size(), cudaMemcpyHostToDevice));
#ifndef GOOD
    dim3 grid((w * h + 255) / 256);
#else
    dim3 grid((w + 255) / 256, h);
#endif
    for (int g = 0; g < generations; g++) {
        generation<<<grid, 256>>>(a, b, w, h);
        std::swap(a, b);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(field.data(), a, field.size(), cudaMemcpyDeviceToHost));
    CK(cudaFree(a));
    CK(cudaFree(b));
}

static std::vector<cell_t> random_field(int w, int h)
{
    std::vector<cell_t> f((size_t)w * h);
    unsigned s = 42;
    for (auto &c : f) c = lcg(s) >> 30 == 0;
    return f;
}

int main(int argc, char **argv)
{
    int generations = argc > 1 ? atoi(argv[1]) : 200, size = argc > 2 ? atoi(argv[2]) : 8000;
    // A small one against the host, then the large one.
    std::vector<cell_t> small = random_field(96, 70), want = small, other(small.size());
    on_device(small, 96, 70, 10);
    for (int g = 0; g < 10; g++) {
        on_host(want.data(), other.data(), 96, 70);
        want.swap(other);
    }
    std::vector<cell_t> field = random_field(size, size);
    on_device(field, size, size, generations);
    long alive = 0;
    for (cell_t c : field) alive += c;
    printf("%ld cells alive after %d generations\n", alive, generations);
    return report(small == want && alive > 0 && alive < (long)size * size / 4);
}
