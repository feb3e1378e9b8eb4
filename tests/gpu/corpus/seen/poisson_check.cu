// Poisson solver that stops when the largest change is small.
#include "common.h"
__global__ void sweep(const float *u, float *v, const float *f, float *change, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    float d = 0;
    if (x < n - 1 && y < n - 1) {
        float w = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x] - f[y * n + x]);
        v[y * n + x] = w;
        d = fabsf(w - u[y * n + x]);
    }
    for (int o = 16; o; o >>= 1) d = fmaxf(d, __shfl_xor_sync(~0u, d, o));
    if (threadIdx.x == 0 && d > 0) atomicMax((int *)change, __float_as_int(d));
}
int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 20000;
    const int n = 512;
    size_t bytes = sizeof(float) * n * n;
    float *u, *v, *f, *change;
    CK(cudaMalloc(&u, bytes)); CK(cudaMalloc(&v, bytes)); CK(cudaMalloc(&f, bytes)); CK(cudaMalloc(&change, 4));
    CK(cudaMemset(u, 0, bytes)); CK(cudaMemset(v, 0, bytes));
    std::vector<float> h(n * n);
    for (int i = 0; i < n * n; i++) h[i] = (i % n == n / 2) ? -1e-3f : 0.0f;
    CK(cudaMemcpy(f, h.data(), bytes, cudaMemcpyHostToDevice));
    dim3 b(32, 8), g((n + 31) / 32, (n + 7) / 8);
#ifndef GOOD
    const int every = 1;
#else
    const int every = 100;
#endif
    int it = 0;
    float c = 1;
    while (it < most && c > 1e-9f) {
        CK(cudaMemsetAsync(change, 0, 4));
        sweep<<<g, b>>>(u, v, f, change, n);
        std::swap(u, v);
        if (++it % every == 0)
            CK(cudaMemcpy(&c, change, 4, cudaMemcpyDeviceToHost));
    }
    CK(cudaDeviceSynchronize());
    printf("%d iterations\n", it);
    return report(it > 100 || most < 100);
}
