// A dynamic graph lives on the host as one neighbour list per vertex. Every batch touches a few thousand vertices;
// their lists go to the device, where a kernel scores each touched vertex against the vertex weights.
#include "common.h"

#define BATCH 3000

__global__ void set_weights(float *w, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) w[v] = (float)((v * 2654435761u) >> 24);
}

// a warp per touched vertex: smoothed score over the neighbours, a few rounds of it
__global__ void score(const int *__restrict__ off, const int *__restrict__ list, const float *__restrict__ w,
                      float *out, int count, int rounds)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (t >= count) return;
    float s = 0;
    for (int r = 0; r < rounds; r++) {
        float a = 0;
        for (int e = off[t] + lane; e < off[t + 1]; e += 32) a += fabsf(w[list[e]] - s);
        for (int d = 16; d; d /= 2) a += __shfl_xor_sync(0xffffffffu, a, d);
        s = a / (float)(off[t + 1] - off[t]);
    }
    if (lane == 0) out[t] = s;
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 20;
    const int n = 60000, rounds = 2000;
    std::vector<std::vector<int>> adj(n);
    unsigned seed = 99;
    for (int v = 0; v < n; v++) {
        adj[v].resize(64 + lcg(seed) / 7 % 128);
        for (int &u : adj[v]) u = lcg(seed) / 5 % n;
    }
    const int cap = BATCH * 192;
    float *w, *out;
    int *off, *list, *pin;
    CK(cudaMalloc(&w, n * sizeof(float)));
    CK(cudaMalloc(&out, BATCH * sizeof(float)));
    CK(cudaMalloc(&off, (BATCH + 1) * sizeof(int)));
    CK(cudaMalloc(&list, cap * sizeof(int)));
    CK(cudaMallocHost(&pin, cap * sizeof(int)));
    set_weights<<<(n + 255) / 256, 256>>>(w, n);
    CK(cudaGetLastError());

    bool ok = true;
    std::vector<int> ho(BATCH + 1), who(BATCH);
    std::vector<float> h(BATCH);
    for (int b = 0; b < batches; b++) {
        ho[0] = 0;
        for (int t = 0; t < BATCH; t++) {
            who[t] = lcg(seed) / 3 % n;
            ho[t + 1] = ho[t] + (int)adj[who[t]].size();
        }
        CK(cudaMemcpy(off, ho.data(), (BATCH + 1) * sizeof(int), cudaMemcpyHostToDevice));
#ifdef GOOD
        for (int t = 0; t < BATCH; t++) memcpy(pin + ho[t], adj[who[t]].data(), adj[who[t]].size() * sizeof(int));
        CK(cudaMemcpy(list, pin, ho[BATCH] * sizeof(int), cudaMemcpyHostToDevice));
#else
        for (int t = 0; t < BATCH; t++)
            CK(cudaMemcpy(list + ho[t], adj[who[t]].data(), adj[who[t]].size() * sizeof(int), cudaMemcpyHostToDevice));
#endif
        score<<<(BATCH * 32 + 255) / 256, 256>>>(off, list, w, out, BATCH, rounds);
        CK(cudaGetLastError());
        CK(cudaMemcpy(h.data(), out, BATCH * sizeof(float), cudaMemcpyDeviceToHost));
        for (int t = b % 50; t < BATCH; t += 1500) {
            double s = 0;
            for (int r = 0; r < rounds; r++) {
                double a = 0;
                for (int u : adj[who[t]]) a += fabs((double)((u * 2654435761u) >> 24) - s);
                s = a / adj[who[t]].size();
            }
            if (!close_to(h[t], s, 1e-2)) ok = false;
        }
    }
    printf("%d batches of %d vertices, last score %.4f\n", batches, BATCH, h[BATCH - 1]);
    CK(cudaFreeHost(pin));
    CK(cudaFree(w)); CK(cudaFree(out)); CK(cudaFree(off)); CK(cudaFree(list));
    return report(ok);
}
