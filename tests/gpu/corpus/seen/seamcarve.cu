// Seam carving: the cheapest way through a picture from its top to each pixel.
//   seamcarve [pictures] [width] [height]
#include "common.h"

const int THREADS = 256;

__host__ __device__ inline int energy(int x, int y, int picture)
{
    unsigned h = x * 73856093u ^ y * 19349663u ^ picture * 83492791u;
    h ^= h >> 13; h *= 0x5bd1e995u; h ^= h >> 15;
    return (int)(h & 255) + ((x / 64 + y / 64) & 1) * 40;
}

__global__ void energies(unsigned short *e, int w, int picture)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w) e[(size_t)y * w + x] = (unsigned short)energy(x, y, picture);
}

#ifndef GOOD
__global__ void next_row(const unsigned short *__restrict__ e, int *cost, int w, int y)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    int best = 0;
    if (y > 0) {
        const int *above = cost + (size_t)(y - 1) * w;
        best = above[x];
        if (x > 0) best = min(best, above[x - 1]);
        if (x < w - 1) best = min(best, above[x + 1]);
    }
    cost[(size_t)y * w + x] = best + e[(size_t)y * w + x];
}
#else
const int ROWS = 32;

// A block goes down 32 rows; it begins with 32 more columns on each side than it writes.
__global__ void __launch_bounds__(THREADS) next_rows(const unsigned short *__restrict__ e, int *cost, int w, int h, int y0)
{
    __shared__ int row[2][THREADS + 2];
    const int FAR = 1 << 29;
    int t = threadIdx.x, x = (int)blockIdx.x * (THREADS - 2 * ROWS) - ROWS + t;
    bool in = x >= 0 && x < w, mine = in && t >= ROWS && t < THREADS - ROWS;
    if (t < 2) row[t][0] = row[t][THREADS + 1] = FAR;
    row[0][t + 1] = !in ? FAR : y0 == 0 ? 0 : cost[(size_t)(y0 - 1) * w + x];
    int from = 0, last = min(y0 + ROWS, h);
    for (int y = y0; y < last; y++, from ^= 1) {
        __syncthreads();
        int best = min(row[from][t + 1], min(row[from][t], row[from][t + 2]));
        int c = in ? best + e[(size_t)y * w + x] : FAR;
        row[from ^ 1][t + 1] = c;
        if (mine) cost[(size_t)y * w + x] = c;
    }
}
#endif

int main(int argc, char **argv)
{
    int pictures = argc > 1 ? atoi(argv[1]) : 30, w = argc > 2 ? atoi(argv[2]) : 6000, h = argc > 3 ? atoi(argv[3]) : 4000;
    unsigned short *e;
    int *cost;
    CK(cudaMalloc(&e, (size_t)w * h * sizeof *e));
    CK(cudaMalloc(&cost, (size_t)w * h * sizeof *cost));
    std::vector<int> last(w), row(w), next(w);
    bool ok = true;
    for (int p = 0; p < pictures; p++) {
        energies<<<dim3((w + 255) / 256, h), 256>>>(e, w, p);
#ifndef GOOD
        for (int y = 0; y < h; y++) next_row<<<(w + THREADS - 1) / THREADS, THREADS>>>(e, cost, w, y);
#else
        const int own = THREADS - 2 * ROWS;
        for (int y = 0; y < h; y += ROWS) next_rows<<<(w + own - 1) / own, THREADS>>>(e, cost, w, h, y);
#endif
        CK(cudaGetLastError());
        CK(cudaMemcpy(last.data(), cost + (size_t)(h - 1) * w, w * sizeof(int), cudaMemcpyDeviceToHost));
    }
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            int best = row[x];
            if (x > 0) best = std::min(best, row[x - 1]);
            if (x < w - 1) best = std::min(best, row[x + 1]);
            next[x] = (y > 0 ? best : 0) + energy(x, y, pictures - 1);
        }
        row.swap(next);
    }
    for (int x = 0; x < w; x++) ok = ok && row[x] == last[x];
    printf("cheapest seam %d\n", *std::min_element(last.begin(), last.end()));
    return report(ok);
}
