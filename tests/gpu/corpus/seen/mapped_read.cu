// k-means assignment; the points stay in mapped host memory.
#include "common.h"
__global__ void assign(const float2 *p, int n, const float2 *c, int k, int *label)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 q = p[i];
    float best = 1e30f; int at = 0;
    for (int j = 0; j < k; j++) {
        float dx = q.x - c[j].x, dy = q.y - c[j].y, d = dx * dx + dy * dy;
        if (d < best) { best = d; at = j; }
    }
    label[i] = at;
}
int main(int argc, char **argv)
{
    int iters = argc > 1 ? atoi(argv[1]) : 40;
    const int n = 1 << 23, k = 16;
    float2 *hp, *dp, *c; int *label;
    CK(cudaHostAlloc(&hp, n * sizeof(float2), cudaHostAllocMapped));
    unsigned s = 1;
    for (int i = 0; i < n; i++) { hp[i].x = frand(s); hp[i].y = frand(s); }
#ifndef GOOD
    CK(cudaHostGetDevicePointer(&dp, hp, 0));
#else
    CK(cudaMalloc(&dp, n * sizeof(float2)));
    CK(cudaMemcpy(dp, hp, n * sizeof(float2), cudaMemcpyHostToDevice));
#endif
    CK(cudaMalloc(&c, k * sizeof(float2))); CK(cudaMalloc(&label, n * 4));
    std::vector<float2> hc(k);
    for (auto &x : hc) x = make_float2(frand(s), frand(s));
    CK(cudaMemcpy(c, hc.data(), k * sizeof(float2), cudaMemcpyHostToDevice));
    for (int it = 0; it < iters; it++) assign<<<n / 256, 256>>>(dp, n, c, k, label);
    std::vector<int> l(1000);
    CK(cudaMemcpy(l.data(), label, 4000, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < 1000; i++) {
        float b = 1e30f; int at = 0;
        for (int j = 0; j < k; j++) { float dx = hp[i].x - hc[j].x, dy = hp[i].y - hc[j].y, d = dx * dx + dy * dy; if (d < b * 0.99999f) { b = d; at = j; } }
        float dx = hp[i].x - hc[l[i]].x, dy = hp[i].y - hc[l[i]].y;
        ok = ok && dx * dx + dy * dy <= b * 1.001f; (void)at;
    }
    return report(ok);
}
