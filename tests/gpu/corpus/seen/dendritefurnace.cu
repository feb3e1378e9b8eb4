// Dendrites in an undercooled melt (phase field): a controller keeps the furnace warmer or colder according to how much
// of the sample is solid.
// usage: dendritefurnace side steps
#include "common.h"

#define TILE 32
#define ROWS 8               // rows of threads; each thread has TILE / ROWS cells

__host__ __device__ inline float furnace(float solid, float cells) { return 1.0f + 0.25f * (0.35f - solid / cells); }

__host__ __device__ inline void solidify(float p, float pAround, float t, float tAround, float level, float &pNew, float &tNew)
{
    float g = 6.0f * (level - t), m = 0.45f * g / (1.0f + fabsf(g));
    float dp = 0.0370f * (pAround - 4.0f * p) + 0.3333f * p * (1.0f - p) * (p - 0.5f + m);
    pNew = p + dp;
    tNew = t + 0.1111f * (tAround - 4.0f * t) + 1.6f * dp;
}

// solid[k] is the sum of the phase before step k
__global__ void __launch_bounds__(TILE * ROWS) grow(const float *__restrict__ phase, const float *__restrict__ temp,
                                                    float *__restrict__ phaseNew, float *__restrict__ tempNew,
                                                    float *solid, int step, int side, float level)
{
    __shared__ float part[ROWS];
#ifdef GOOD
    level = furnace(solid[step], (float)side * (float)side);
#endif
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int l = max(x - 1, 0) - x, r = min(x + 1, side - 1) - x;
    float sum = 0.0f;
    #pragma unroll
    for (int q = 0; q < TILE / ROWS; ++q) {
        int y = blockIdx.y * TILE + q * ROWS + threadIdx.y, i = y * side + x;
        int u = y > 0 ? -side : 0, d = y + 1 < side ? side : 0;
        float p, t;
        solidify(phase[i], phase[i + l] + phase[i + r] + phase[i + u] + phase[i + d],
                 temp[i], temp[i + l] + temp[i + r] + temp[i + u] + temp[i + d], level, p, t);
        phaseNew[i] = p;
        tempNew[i] = t;
        sum += p;
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) part[threadIdx.y] = sum;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        for (int w = 1; w < ROWS; ++w) sum += part[w];
        atomicAdd(solid + step + 1, sum);
    }
}

int main(int argc, char **argv)
{
    const int side = (argc > 1 ? atoi(argv[1]) : 2048) / TILE * TILE, steps = argc > 2 ? atoi(argv[2]) : 20000;
    const int n = side * side;
    std::vector<float> p(n), t(n, 0.0f), lastP(n), lastT(n), sum(steps + 1, 0.0f);
    double first = 0;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            int dx = x % 128 - 64 + (y / 128) % 5, dy = y % 128 - 64 - (x / 128) % 7;
            p[y * side + x] = dx * dx + dy * dy < 100 ? 1.0f : 0.0f;
            first += p[y * side + x];
        }
    sum[0] = (float)first;
    float *dp[2], *dt[2], *dsum;
    for (int b = 0; b < 2; ++b) { CK(cudaMalloc(&dp[b], n * sizeof(float))); CK(cudaMalloc(&dt[b], n * sizeof(float))); }
    CK(cudaMalloc(&dsum, sum.size() * sizeof(float)));
    CK(cudaMemcpy(dp[0], p.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dt[0], t.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dsum, sum.data(), sum.size() * sizeof(float), cudaMemcpyHostToDevice));
    const dim3 grid(side / TILE, side / TILE), block(TILE, ROWS);
    float level = furnace(sum[0], (float)side * (float)side);
    for (int k = 0; k < steps; ++k) {
        int a = k % 2, b = 1 - a;
        grow<<<grid, block>>>(dp[a], dt[a], dp[b], dt[b], dsum, k, side, level);
#ifndef GOOD
        float solid;
        CK(cudaMemcpy(&solid, dsum + k + 1, sizeof(float), cudaMemcpyDeviceToHost));
        level = furnace(solid, (float)side * (float)side);
#endif
    }
    CK(cudaGetLastError());
    const int now = steps % 2;
    CK(cudaMemcpy(p.data(), dp[now], n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(t.data(), dt[now], n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(lastP.data(), dp[1 - now], n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(lastT.data(), dt[1 - now], n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(sum.data(), dsum, sum.size() * sizeof(float), cudaMemcpyDeviceToHost));

    // the last step again, and its sum
    bool ok = true;
    double total = 0;
    for (float x : p) total += x;
    ok = ok && close_to(sum[steps], total, 1e-3);
    level = furnace(sum[steps - 1], (float)side * (float)side);
    for (int q = 0; q < 4000; ++q) {
        int x = q * 7919 % side, y = q * 104729 % side, i = y * side + x;
        int l = x > 0 ? i - 1 : i, r = x + 1 < side ? i + 1 : i, u = y > 0 ? i - side : i, d = y + 1 < side ? i + side : i;
        float np, nt;
        solidify(lastP[i], lastP[l] + lastP[r] + lastP[u] + lastP[d], lastT[i], lastT[l] + lastT[r] + lastT[u] + lastT[d], level, np, nt);
        ok = ok && fabsf(p[i] - np) < 1e-4f && fabsf(t[i] - nt) < 1e-4f && p[i] > -0.5f && p[i] < 1.5f;
    }
    printf("solid: %.1f %% at first, %.1f %% in the end\n", 100.0 * first / n, 100.0 * total / n);
    for (int b = 0; b < 2; ++b) { CK(cudaFree(dp[b])); CK(cudaFree(dt[b])); }
    CK(cudaFree(dsum));
    return report(ok);
}
