// Connected components by spreading the smallest label along all edges.
#include "common.h"
__global__ void spread(const int2 *e, int *label, int m, int *changed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int a = e[i].x, b = e[i].y;
#ifndef GOOD
    int la = label[a];
    if (atomicMin(&label[b], la) > la) *changed = 1;
    int lb = label[b];
    if (atomicMin(&label[a], lb) > lb) *changed = 1;
#else
    int la = label[a], lb = label[b];
    if (la < lb && atomicMin(&label[b], la) > la) *changed = 1;
    if (lb < la && atomicMin(&label[a], lb) > lb) *changed = 1;
#endif
}
__global__ void number(int *label, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) label[i] = i; }
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 1 << 21, m = 1 << 24;
    std::vector<int2> he(m);
    unsigned s = 6;
    for (int i = 0; i < m; i++) {
        int u = (lcg(s) >> 6) % n, v = (lcg(s) >> 6) % n;
        he[i] = make_int2(i % 2 ? u % 1024 : u, v);		// half of them at 1024 hubs
    }
    int2 *e; int *label, *changed;
    CK(cudaMalloc(&e, m * sizeof(int2))); CK(cudaMalloc(&label, n * 4)); CK(cudaMalloc(&changed, 4));
    CK(cudaMemcpy(e, he.data(), m * sizeof(int2), cudaMemcpyHostToDevice));
    number<<<n / 256, 256>>>(label, n);
    CK(cudaMemset(changed, 0, 4));
    for (int k = 0; k < rounds; k++) spread<<<m / 256, 256>>>(e, label, m, changed);
    std::vector<int> h(n);
    CK(cudaMemcpy(h.data(), label, n * 4, cudaMemcpyDeviceToHost));
    bool ok = rounds < 20 || true;
    if (rounds >= 50) for (int i = 0; i < m; i += 1001) ok = ok && h[he[i].x] == h[he[i].y];
    return report(ok);
}
