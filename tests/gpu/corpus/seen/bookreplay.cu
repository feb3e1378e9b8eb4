// A day of orders is replayed for many trading rules. The orders lie in host memory that
// the GPU can read.
//   bookreplay [orders in thousands] [rules]
#include "common.h"

struct Order { int time; float price, size; int side; };

__host__ __device__ inline Order order(int i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15;
    Order o = {i * 3, 100 + (float)(h & 1023) * 0.01f, (float)(h >> 10 & 63), (int)(h >> 31)};
    return o;
}

__global__ void __launch_bounds__(256) replay(const Order *orders, int n, int rules, float *profit)
{
    float limit = 100 + 0.05f * (blockIdx.y * 10.24f / 0.05f / rules), sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        int4 raw = *(const int4 *)&orders[i];
        float price = __int_as_float(raw.y), size = __int_as_float(raw.z);
        bool buy = raw.w == 0 && price < limit, sell = raw.w == 1 && price > limit;
        sum += buy ? size * (limit - price) : sell ? size * (price - limit) : 0;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&profit[blockIdx.y], sum);
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 6000) * 1000, rules = argc > 2 ? atoi(argv[2]) : 8;
    Order *orders, *seen;
    CK(cudaHostAlloc(&orders, n * sizeof(Order), cudaHostAllocMapped));
    for (int i = 0; i < n; i++) orders[i] = order(i);
#ifndef GOOD
    CK(cudaHostGetDevicePointer(&seen, orders, 0));
#else
    CK(cudaMalloc(&seen, n * sizeof(Order)));
    CK(cudaMemcpy(seen, orders, n * sizeof(Order), cudaMemcpyHostToDevice));
#endif
    float *profit;
    CK(cudaMalloc(&profit, rules * sizeof(float)));
    CK(cudaMemset(profit, 0, rules * sizeof(float)));
    replay<<<dim3(264, rules), 256>>>(seen, n, rules, profit);
    CK(cudaGetLastError());
    std::vector<float> h(rules);
    CK(cudaMemcpy(h.data(), profit, rules * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 0; r < rules; r += 5) {
        float limit = 100 + 0.05f * (r * 10.24f / 0.05f / rules);
        double want = 0;
        for (int i = 0; i < n; i++) {
            Order o = order(i);
            if (o.side == 0 && o.price < limit) want += o.size * (limit - o.price);
            if (o.side == 1 && o.price > limit) want += o.size * (o.price - limit);
        }
        ok = ok && close_to(h[r], want, 2e-3);
    }
    printf("best rule %d\n", (int)(std::max_element(h.begin(), h.end()) - h.begin()));
    return report(ok);
}
