// Bank: turnover, variance and time-weighted balance of each account; transactions are stored account by account.
#include "common.h"

struct Piece { int account, begin, end; };

__host__ __device__ static inline float amount_at(unsigned i) { return ((i * 2654435761u) >> 20) * 0.25f - 500.0f; }
__host__ __device__ static inline float time_at(unsigned i) { return (i % 365u) * (1.0f / 365.0f); }

__global__ void ingest(float *amount, float *time, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { amount[i] = amount_at(i); time[i] = time_at(i); }
}

// one block for each piece of an account's transactions
__global__ void account_stats(const Piece *__restrict__ pieces, const float *__restrict__ amount,
                              const float *__restrict__ time, float *__restrict__ stats)
{
    Piece p = pieces[blockIdx.x];
    float s = 0, q = 0, t = 0;
    for (int i = p.begin + threadIdx.x; i < p.end; i += blockDim.x) {
        float a = amount[i];
        s += fabsf(a);
        q += a * a;
        t += a * (1.0f - time[i]);
    }
    __shared__ float part[3][8];
    for (int o = 16; o; o >>= 1) {
        s += __shfl_down_sync(0xffffffffu, s, o);
        q += __shfl_down_sync(0xffffffffu, q, o);
        t += __shfl_down_sync(0xffffffffu, t, o);
    }
    int w = threadIdx.x >> 5;
    if ((threadIdx.x & 31) == 0) { part[0][w] = s; part[1][w] = q; part[2][w] = t; }
    __syncthreads();
    if (threadIdx.x < 3) {
        float v = 0;
        for (int k = 0; k < 8; k++) v += part[threadIdx.x][k];
        atomicAdd(stats + 3 * p.account + threadIdx.x, v);
    }
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 400;
    const int accounts = 40000;
#ifdef GOOD
    const int longest = 4096;           // a long account is cut in pieces
#else
    const int longest = 1 << 30;        // a piece is an account
#endif
    std::vector<int> first(accounts + 1);
    std::vector<Piece> pieces;
    unsigned seed = 11;
    first[0] = 0;
    for (int a = 0; a < accounts; a++) {
        int len = 200 + (lcg(seed) >> 8) % 1200;
        if (a == 7) len = 700000;                       // clearing house
        if (a == 19000 || a == 31000) len = 150000;     // payment services
        first[a + 1] = first[a] + len;
        for (int b = 0; b < len; b += longest)
            pieces.push_back({a, first[a] + b, first[a] + (len - b > longest ? b + longest : len)});
    }
    const int n = first[accounts];
    float *amount, *time, *stats;
    Piece *dp;
    CK(cudaMalloc(&amount, n * sizeof(float)));
    CK(cudaMalloc(&time, n * sizeof(float)));
    CK(cudaMalloc(&stats, accounts * 3 * sizeof(float)));
    CK(cudaMalloc(&dp, pieces.size() * sizeof(Piece)));
    CK(cudaMemcpy(dp, pieces.data(), pieces.size() * sizeof(Piece), cudaMemcpyHostToDevice));
    ingest<<<(n + 255) / 256, 256>>>(amount, time, n);
    CK(cudaGetLastError());
    for (int d = 0; d < days; d++) {
        CK(cudaMemsetAsync(stats, 0, accounts * 3 * sizeof(float)));
        account_stats<<<(unsigned)pieces.size(), 256>>>(dp, amount, time, stats);
    }
    CK(cudaGetLastError());
    std::vector<float> h(accounts * 3);
    CK(cudaMemcpy(h.data(), stats, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int a = 7; a < accounts; a += 997) {
        double s = 0, q = 0, t = 0;
        for (int i = first[a]; i < first[a + 1]; i++) {
            double v = amount_at(i);
            s += fabs(v); q += v * v; t += v * (1.0 - time_at(i));
        }
        if (!close_to(h[3 * a], s, 1e-3) || !close_to(h[3 * a + 1], q, 1e-3) || fabs(h[3 * a + 2] - t) > 1e-3 * s) ok = false;
    }
    CK(cudaFree(amount)); CK(cudaFree(time)); CK(cudaFree(stats)); CK(cudaFree(dp));
    return report(ok);
}
