// Mobile robot: each control tick the mapping stage inflates the obstacles of
// the occupancy grid into a cost map and the planning stage runs a few sweeps of
// value iteration on it. The two stages were written as separate modules.
#include "common.h"

constexpr int W = 2048, H = 2048, R = 2, SWEEPS = 4;

__host__ __device__ inline float obstacle(int x, int y, int tick)
{
    unsigned h = (unsigned)(x + tick) * 73856093u ^ (unsigned)y * 19349663u;
    h ^= h >> 13; h *= 0x5bd1e995u; h ^= h >> 15;
    return h % 40 == 0 ? 1.0f : 0.0f;
}

__global__ void inflate(float *cost, int tick)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float best = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++)
            best = fmaxf(best, obstacle(x + dx, y + dy, tick) * (8.0f - abs(dx) - abs(dy)));
    cost[y * W + x] = 1.0f + best;
}

__host__ __device__ inline int clampi(int v, int hi) { return v < 0 ? 0 : v > hi ? hi : v; }

__global__ void sweep(const float *cost, const float *v, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float a = v[y * W + clampi(x - 1, W - 1)], b = v[y * W + clampi(x + 1, W - 1)];
    float c = v[clampi(y - 1, H - 1) * W + x], d = v[clampi(y + 1, H - 1) * W + x];
    out[y * W + x] = cost[y * W + x] + 0.9f * fminf(fminf(a, b), fminf(c, d));
}

struct Mapper {
    float *cost;
    cudaStream_t st;
    void update(int tick) { inflate<<<dim3(W / 32, H / 8), dim3(32, 8), 0, st>>>(cost, tick); }
#ifdef GOOD
    const float *map() { return cost; }
#else
    float *host;
    const float *map()
    {
        CK(cudaMemcpyAsync(host, cost, (size_t)W * H * sizeof(float), cudaMemcpyDeviceToHost, st));
        return host;
    }
#endif
};

struct Planner {
    float *v[2];
    cudaStream_t st;
#ifdef GOOD
    void plan(const float *cost)
    {
#else
    float *cost;
    void plan(const float *map)
    {
        CK(cudaMemcpyAsync(cost, map, (size_t)W * H * sizeof(float), cudaMemcpyHostToDevice, st));
#endif
        CK(cudaMemsetAsync(v[0], 0, (size_t)W * H * sizeof(float), st));
        for (int s = 0; s < SWEEPS; s++)
            sweep<<<dim3(W / 32, H / 8), dim3(32, 8), 0, st>>>(cost, v[s & 1], v[(s + 1) & 1]);
    }
};

static float cost_cpu(int x, int y, int tick)
{
    float best = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++)
            best = std::max(best, obstacle(x + dx, y + dy, tick) * (8.0f - abs(dx) - abs(dy)));
    return 1.0f + best;
}
static float value_cpu(int x, int y, int tick, int depth)
{
    if (depth == 0) return 0;
    float m = 1e30f;
    const int dx[4] = {-1, 1, 0, 0}, dy[4] = {0, 0, -1, 1};
    for (int k = 0; k < 4; k++)
        m = std::min(m, value_cpu(clampi(x + dx[k], W - 1), clampi(y + dy[k], H - 1), tick, depth - 1));
    return cost_cpu(x, y, tick) + 0.9f * m;
}

int main(int argc, char **argv)
{
    int ticks = argc > 1 ? atoi(argv[1]) : 400;
    const size_t bytes = (size_t)W * H * sizeof(float);
    Mapper mp;
    Planner pl;
    cudaStream_t st;
    CK(cudaStreamCreate(&st));
    mp.st = pl.st = st;
    CK(cudaMalloc(&mp.cost, bytes));
    CK(cudaMalloc(&pl.v[0], bytes));
    CK(cudaMalloc(&pl.v[1], bytes));
#ifndef GOOD
    CK(cudaMallocHost(&mp.host, bytes));
    CK(cudaMalloc(&pl.cost, bytes));
#endif
    for (int t = 0; t < ticks; t++) {
        mp.update(t);
        pl.plan(mp.map());
    }
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));

    bool ok = true;
    for (int q = 0; q < 40; q++) {
        int x = q == 0 ? 0 : (q * 517 + 3) % W, y = q == 0 ? 0 : (q * 331 + 9) % H;
        float got;
        CK(cudaMemcpy(&got, pl.v[SWEEPS & 1] + (size_t)y * W + x, sizeof(float), cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, value_cpu(x, y, ticks - 1, SWEEPS), 1e-4);
    }
#ifndef GOOD
    CK(cudaFreeHost(mp.host)); CK(cudaFree(pl.cost));
#endif
    CK(cudaFree(mp.cost)); CK(cudaFree(pl.v[0])); CK(cudaFree(pl.v[1]));
    CK(cudaStreamDestroy(st));
    return report(ok);
}
