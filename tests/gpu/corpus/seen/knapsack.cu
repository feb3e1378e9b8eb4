// 0/1 knapsack, row by row.
#include "common.h"
__global__ void item(const int *prev, int *next, int cap, int weight, int value)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c > cap) return;
    int best = prev[c];
    if (c >= weight) best = max(best, prev[c - weight] + value);
    next[c] = best;
}
int main(int argc, char **argv)
{
    int items = argc > 1 ? atoi(argv[1]) : 20000;
    const int cap = 400000;
    std::vector<int> w(items), v(items);
    unsigned s = 4;
    for (int i = 0; i < items; i++) { w[i] = 1 + (lcg(s) >> 8) % 1000; v[i] = 1 + (lcg(s) >> 8) % 1000; }
    int *a, *b;
    size_t bytes = (cap + 1) * 4;
    CK(cudaMalloc(&a, bytes)); CK(cudaMalloc(&b, bytes)); CK(cudaMemset(a, 0, bytes));
    int best = 0;
    for (int i = 0; i < items; i++) {
        item<<<(cap + 256) / 256, 256>>>(a, b, cap, w[i], v[i]);
#ifndef GOOD
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(&best, b + cap, 4, cudaMemcpyDeviceToHost));	// for the progress bar
        if (i % 5000 == 0) fprintf(stderr, "item %d: %d\n", i, best);
#else
        if (i % 5000 == 0) {
            CK(cudaMemcpy(&best, b + cap, 4, cudaMemcpyDeviceToHost));
            fprintf(stderr, "item %d: %d\n", i, best);
        }
#endif
        std::swap(a, b);
    }
    CK(cudaMemcpy(&best, a + cap, 4, cudaMemcpyDeviceToHost));
    printf("best value %d\n", best);
    return report(best > 0);
}
