// Travel times from one crossing of a road network (Bellman and Ford), in rounds until
// nothing changes.
//   roadsssp [side]
#include "common.h"
#include <queue>

struct Roads { int side; std::vector<int> east, south; };   // seconds to the next crossing

static Roads build(int side)
{
    Roads r = {side, std::vector<int>(side * side), std::vector<int>(side * side)};
    unsigned s = 3;
    for (int i = 0; i < side * side; i++) {
        r.east[i] = 20 + (lcg(s) >> 27);
        r.south[i] = 20 + (lcg(s) >> 27);
    }
    return r;
}

__global__ void start(int *time, int n, int from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) time[i] = i == from ? 0 : 1 << 29;
}

__global__ void relax(int *__restrict__ time, const int *__restrict__ east, const int *__restrict__ south, int side, int *changed)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int i = y * side + x, t = time[i], best = t;
    volatile int *v = time;
    if (x > 0) best = min(best, v[i - 1] + east[i - 1]);
    if (x < side - 1) best = min(best, v[i + 1] + east[i]);
    if (y > 0) best = min(best, v[i - side] + south[i - side]);
    if (y < side - 1) best = min(best, v[i + side] + south[i]);
    if (best < t) {
        v[i] = best;
        *changed = 1;
    }
}

static std::vector<int> dijkstra(const Roads &r, int from)
{
    int side = r.side;
    std::vector<int> d(side * side, 1 << 29);
    typedef std::pair<int, int> P;
    std::priority_queue<P, std::vector<P>, std::greater<P>> q;
    d[from] = 0;
    q.push({0, from});
    while (!q.empty()) {
        P p = q.top();
        q.pop();
        int i = p.second, x = i % side, y = i / side;
        if (p.first > d[i]) continue;
        auto go = [&](int j, int w) { if (p.first + w < d[j]) q.push({d[j] = p.first + w, j}); };
        if (x > 0) go(i - 1, r.east[i - 1]);
        if (x < side - 1) go(i + 1, r.east[i]);
        if (y > 0) go(i - side, r.south[i - side]);
        if (y < side - 1) go(i + side, r.south[i]);
    }
    return d;
}

int main(int argc, char **argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 1280, n = side * side, from = n / 3;
    Roads r = build(side);
    int *time, *east, *south, *changed, flag = 1, rounds = 0;
    CK(cudaMalloc(&time, n * sizeof(int)));
    CK(cudaMalloc(&east, n * sizeof(int)));
    CK(cudaMalloc(&south, n * sizeof(int)));
    CK(cudaMalloc(&changed, sizeof(int)));
    CK(cudaMemcpy(east, r.east.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(south, r.south.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    start<<<(n + 255) / 256, 256>>>(time, n, from);
    dim3 block(32, 8), grid((side + 31) / 32, (side + 7) / 8);
#ifndef GOOD
    const int every = 1;
#else
    const int every = 32;
#endif
    while (flag) {
        flag = 0;
        CK(cudaMemcpy(changed, &flag, sizeof(int), cudaMemcpyHostToDevice));
        for (int k = 0; k < every; k++, rounds++)
            relax<<<grid, block>>>(time, east, south, side, changed);
        CK(cudaMemcpy(&flag, changed, sizeof(int), cudaMemcpyDeviceToHost));
    }
    std::vector<int> h(n);
    CK(cudaMemcpy(h.data(), time, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d rounds, farthest %d s\n", rounds, *std::max_element(h.begin(), h.end()));
    return report(h == dijkstra(r, from));
}
