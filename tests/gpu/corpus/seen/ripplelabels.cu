// Distances from one corner of a walled grid (a graph with four neighbours a cell): level-synchronous search, one
// kernel a level, until a level reaches no new cell. The levels of a grid like this number in the thousands.
#include "common.h"
#include <queue>

#define W 1024
#define FAR 0x3fffffff
#ifdef GOOD
#define LOOK 32                  // levels between two looks at the flag
#else
#define LOOK 1
#endif

__host__ __device__ static inline bool wall(int x, int y)
{
    if (y % 64 == 63) return (y / 64) % 2 ? x >= 24 : x < W - 24;       // long walls with a gap at alternate ends
    unsigned h = (unsigned)(y * W + x) * 2654435761u;
    return (h >> 24) < 20 && x % 8 && y % 8 && y % 64 != 62;
}

__global__ void ripple(int *dist, int depth, int *changed)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * W + x;
    if (dist[i] != FAR || wall(x, y)) return;
    bool near = (x > 0 && dist[i - 1] == depth) || (x < W - 1 && dist[i + 1] == depth) ||
                (y > 0 && dist[i - W] == depth) || (y < W - 1 && dist[i + W] == depth);
    if (near) {
        dist[i] = depth + 1;
        *changed = 1;
    }
}

int main(int argc, char **argv)
{
    int limit = argc > 1 ? atoi(argv[1]) : 6000;                         // at most this many levels
    int *dist, *changed, *flag;
    CK(cudaMalloc(&dist, W * W * sizeof(int)));
    CK(cudaMalloc(&changed, sizeof(int)));
    CK(cudaMallocHost(&flag, sizeof(int)));
    std::vector<int> h(W * W, FAR);
    h[0] = 0;
    CK(cudaMemcpy(dist, h.data(), W * W * sizeof(int), cudaMemcpyHostToDevice));

    int depth = 0;
    for (bool going = true; going && depth < limit;) {
        CK(cudaMemsetAsync(changed, 0, sizeof(int)));
        for (int k = 0; k < LOOK && depth < limit; k++, depth++)
            ripple<<<dim3(W / 32, W / 8), dim3(32, 8)>>>(dist, depth, changed);
        CK(cudaGetLastError());
        CK(cudaMemcpyAsync(flag, changed, sizeof(int), cudaMemcpyDeviceToHost));
        CK(cudaStreamSynchronize(0));
        going = *flag != 0;
    }
    CK(cudaMemcpy(h.data(), dist, W * W * sizeof(int), cudaMemcpyDeviceToHost));

    std::vector<int> want(W * W, FAR);
    std::queue<int> q;
    want[0] = 0;
    q.push(0);
    while (!q.empty()) {
        int i = q.front(), x = i % W, y = i / W;
        q.pop();
        if (want[i] >= limit) continue;
        const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
        for (int k = 0; k < 4; k++) {
            int a = x + dx[k], b = y + dy[k];
            if (a < 0 || b < 0 || a >= W || b >= W || wall(a, b) || want[b * W + a] != FAR) continue;
            want[b * W + a] = want[i] + 1;
            q.push(b * W + a);
        }
    }
    bool ok = true;
    int far = 0;
    for (int i = 0; i < W * W; i++) {
        if (h[i] != want[i]) ok = false;
        if (want[i] != FAR) far = std::max(far, want[i]);
    }
    printf("farthest cell at distance %d, %d levels run\n", far, depth);
    CK(cudaFreeHost(flag));
    CK(cudaFree(dist));
    CK(cudaFree(changed));
    return report(ok);
}
