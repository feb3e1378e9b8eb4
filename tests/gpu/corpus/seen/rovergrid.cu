// Route planning for a rover by value iteration: from each cell of the map it may drive in eight directions, and slips
// to one of the two directions beside with some probability. Sweeps go on until the values stand still, but at most
// as long as the rover may wait. Three goals are planned for, one after the other.
// usage: rovergrid width height sweeps
#include "common.h"

#ifdef GOOD
const int WATCH = 64;        // sweeps from one look at the change to the next
#else
const int WATCH = 1;
#endif

const float DISCOUNT = 0.9995f, STRAIGHT = 0.8f, SLIP = 0.1f;

__host__ __device__ inline float bestMove(float n, float ne, float e, float se, float s, float sw, float w, float nw,
                                          float cost)
{
    float best = STRAIGHT * n + SLIP * (nw + ne);
    best = fminf(best, STRAIGHT * ne + SLIP * (n + e));
    best = fminf(best, STRAIGHT * e + SLIP * (ne + se));
    best = fminf(best, STRAIGHT * se + SLIP * (e + s));
    best = fminf(best, STRAIGHT * s + SLIP * (se + sw));
    best = fminf(best, STRAIGHT * sw + SLIP * (s + w));
    best = fminf(best, STRAIGHT * w + SLIP * (sw + nw));
    best = fminf(best, STRAIGHT * nw + SLIP * (w + n));
    return cost < 0.0f ? 0.0f : cost + DISCOUNT * best;     // below zero: the goal
}

__global__ void terrain(float *cost, int w, int goalx, int goaly)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    unsigned r = (unsigned)(y * w + x) * 2654435761u;
    r = (r ^ (r >> 16)) * 2246822519u;
    bool goal = x == goalx && y == goaly;
    cost[(size_t)y * w + x] = goal ? -1.0f : 0.5f + (float)(r >> 8) * (1.0f / 16777216.0f);
}

__global__ void sweep(const float *__restrict__ value, const float *__restrict__ cost, float *__restrict__ next,
                      unsigned *change, int w, int h, bool watch)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    float moved = 0.0f;
    if (x < w && y < h) {
        int l = max(x - 1, 0), r = min(x + 1, w - 1);
        const float *row = value + (size_t)y * w;
        const float *up = value + (size_t)max(y - 1, 0) * w, *down = value + (size_t)min(y + 1, h - 1) * w;
        float v = bestMove(up[x], up[r], row[r], down[r], down[x], down[l], row[l], up[l], cost[(size_t)y * w + x]);
        next[(size_t)y * w + x] = v;
        moved = fabsf(v - row[x]);
    }
    if (!watch) return;
    __shared__ unsigned most[8];
    const int t = threadIdx.y * 64 + threadIdx.x;
    unsigned m = __reduce_max_sync(0xffffffffu, __float_as_uint(moved));     // not negative: ordered as whole numbers
    if (t % 32 == 0) most[t / 32] = m;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; ++k) m = max(m, most[k]);
        if (m > __ldcg(change)) atomicMax(change, m);
    }
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 4096;
    int h = argc > 2 ? atoi(argv[2]) : 2048;
    int sweeps = argc > 3 ? atoi(argv[3]) : 4000;
    size_t n = (size_t)w * h;
    float *value, *next, *cost;
    unsigned *change, *seen;
    CK(cudaMalloc(&value, n * sizeof(float)));
    CK(cudaMalloc(&next, n * sizeof(float)));
    CK(cudaMalloc(&cost, n * sizeof(float)));
    CK(cudaMalloc(&change, sizeof(unsigned)));
    CK(cudaMallocHost(&seen, sizeof(unsigned)));
    dim3 block(64, 4), grid((w + 63) / 64, (h + 3) / 4);
    const int goals[3][2] = {{5, 5}, {w - 6, 5}, {5, h - 6}};
    float moved = 1.0f;
    int k = 0;
    for (auto &goal : goals) {
        CK(cudaMemsetAsync(value, 0, n * sizeof(float)));
        terrain<<<dim3((w + 255) / 256, h), 256>>>(cost, w, goal[0], goal[1]);
        k = 0;
        while (k < sweeps) {
            bool watch = ++k % WATCH == 0;
            if (watch) CK(cudaMemsetAsync(change, 0, sizeof(unsigned)));
            sweep<<<grid, block>>>(value, cost, next, change, w, h, watch);
            std::swap(value, next);
            if (watch) {
                CK(cudaMemcpy(seen, change, sizeof(unsigned), cudaMemcpyDeviceToHost));
                memcpy(&moved, seen, sizeof moved);
                if (moved < 1e-6f) break;
            }
        }
    }
    CK(cudaGetLastError());

    // the last sweep again for some rows
    bool ok = moved >= 0.0f && moved < 2.0f;
    double sum = 0;
    for (int q = 0; q < 8; ++q) {
        int y = 1 + q * (h - 3) / 7;
        std::vector<float> old(3 * (size_t)w), c(w), now(w);
        CK(cudaMemcpy(old.data(), next + (size_t)(y - 1) * w, old.size() * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(c.data(), cost + (size_t)y * w, w * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(now.data(), value + (size_t)y * w, w * sizeof(float), cudaMemcpyDeviceToHost));
        const float *up = old.data(), *row = up + w, *down = row + w;
        for (int x = 0; x < w; ++x) {
            int l = std::max(x - 1, 0), r = std::min(x + 1, w - 1);
            float want = bestMove(up[x], up[r], row[r], down[r], down[x], down[l], row[l], up[l], c[x]);
            ok = ok && close_to(now[x], want, 1e-4);
            sum += now[x];
        }
    }
    printf("%d sweeps, cost of a route to the last goal %.3f on average\n", k, sum / (8.0 * w));
    CK(cudaFree(value)); CK(cudaFree(next)); CK(cudaFree(cost)); CK(cudaFree(change)); CK(cudaFreeHost(seen));
    return report(ok);
}
