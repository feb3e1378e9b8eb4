// Sums neighbours' values in a graph whose degrees follow a power law.
#include "common.h"
__global__ void gather(const int *ptr, const int *adj, const float *val, float *out, int n)
{
#ifndef GOOD
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float s = 0;
    for (int k = ptr[v]; k < ptr[v + 1]; k++) s += val[adj[k]];
    out[v] = s;
#else
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= n) return;
    float s = 0;
    for (int k = ptr[v] + lane; k < ptr[v + 1]; k += 32) s += val[adj[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) out[v] = s;
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 1 << 19;
    std::vector<int> ptr(n + 1), adj;
    unsigned s = 21;
    for (int v = 0; v < n; v++) {
        float u = frand(s);
        int deg = std::min(20000, (int)(8 / powf(u + 1e-6f, 0.7f)));
        ptr[v + 1] = ptr[v] + deg;
    }
    adj.resize(ptr[n]);
    for (auto &x : adj) x = (lcg(s) >> 5) % n;
    std::vector<float> val(n, 0.5f), out(n);
    int *dp, *da; float *dv, *o;
    CK(cudaMalloc(&dp, (n + 1) * 4)); CK(cudaMalloc(&da, adj.size() * 4)); CK(cudaMalloc(&dv, n * 4)); CK(cudaMalloc(&o, n * 4));
    CK(cudaMemcpy(dp, ptr.data(), (n + 1) * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(da, adj.data(), adj.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dv, val.data(), n * 4, cudaMemcpyHostToDevice));
    for (int r = 0; r < reps; r++)
#ifndef GOOD
        gather<<<n / 256, 256>>>(dp, da, dv, o, n);
#else
        gather<<<n / 8, 256>>>(dp, da, dv, o, n);
#endif
    CK(cudaMemcpy(out.data(), o, n * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int v = 0; v < n; v++) ok = ok && out[v] == 0.5f * (ptr[v + 1] - ptr[v]);
    printf("%d edges\n", ptr[n]);
    return report(ok);
}
