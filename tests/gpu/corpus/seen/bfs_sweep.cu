// Breadth-first search on a road-like grid (long paths).
#include "common.h"
#ifndef GOOD
// Every vertex looks in every level whether it is its turn.
__global__ void level(int *dist, int w, int h, int cur, int *more)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= w * h || dist[v] != cur) return;
    int x = v % w, y = v / w, nb[4] = {x ? v - 1 : -1, x < w - 1 ? v + 1 : -1, y ? v - w : -1, y < h - 1 ? v + w : -1};
    for (int k = 0; k < 4; k++) if (nb[k] >= 0 && dist[nb[k]] < 0) { dist[nb[k]] = cur + 1; *more = 1; }
}
#else
// Only the vertices of the frontier.
__global__ void level(int *dist, int w, int h, int cur, const int *front, int n, int *next, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = front[i], x = v % w, y = v / w, nb[4] = {x ? v - 1 : -1, x < w - 1 ? v + 1 : -1, y ? v - w : -1, y < h - 1 ? v + w : -1};
    for (int k = 0; k < 4; k++) if (nb[k] >= 0 && atomicCAS(&dist[nb[k]], -1, cur + 1) == -1) next[atomicAdd(count, 1)] = nb[k];
}
#endif
int main(int argc, char **argv)
{
    const int w = 4096, h = 4096;
    int levels = argc > 1 ? atoi(argv[1]) : 8190;
    int *dist, *flag, *pin;
    CK(cudaMalloc(&dist, w * h * 4)); CK(cudaMalloc(&flag, 4)); CK(cudaMallocHost(&pin, 4));
    CK(cudaMemset(dist, 0xff, w * h * 4)); CK(cudaMemset(dist, 0, 4));
#ifdef GOOD
    int *f, *g, n = 1, zero = 0;
    CK(cudaMalloc(&f, w * h * 4)); CK(cudaMalloc(&g, w * h * 4));
    CK(cudaMemcpy(f, &zero, 4, cudaMemcpyHostToDevice));
#endif
    int cur = 0;
    for (; cur < levels; cur++) {
        CK(cudaMemset(flag, 0, 4));
#ifndef GOOD
        level<<<w * h / 256, 256>>>(dist, w, h, cur, flag);
#else
        level<<<(n + 255) / 256, 256>>>(dist, w, h, cur, f, n, g, flag);
        std::swap(f, g);
#endif
        CK(cudaMemcpy(pin, flag, 4, cudaMemcpyDeviceToHost));
        if (!*pin) break;
#ifdef GOOD
        n = *pin;
#endif
    }
    int far;
    CK(cudaMemcpy(&far, dist + 1000 * w + 500, 4, cudaMemcpyDeviceToHost));
    printf("distance %d after %d levels\n", far, cur);
    return report(far == 1500 || cur < 1500);
}
