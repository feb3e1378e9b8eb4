// Diffusion with absorption on a plate, relaxed until the largest change of a
// sweep is small; several sources one after another.
#include "common.h"

#define W 512
#define LIMIT 4000
#ifdef GOOD
#define LOOK 50            // sweeps between two looks at the change
#else
#define LOOK 1
#endif

__global__ void __launch_bounds__(256) sweep(const float *__restrict__ u, float *__restrict__ v,
                                             const float *__restrict__ src, unsigned *change)
{
    __shared__ unsigned most;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    bool first = threadIdx.x == 0 && threadIdx.y == 0;
    if (first) most = 0;
    __syncthreads();
    float l = x > 0 ? u[y * W + x - 1] : 0.0f, r = x < W - 1 ? u[y * W + x + 1] : 0.0f;
    float d = y > 0 ? u[(y - 1) * W + x] : 0.0f, t = y < W - 1 ? u[(y + 1) * W + x] : 0.0f;
    float n = src[y * W + x] + 0.249f * (l + r + d + t);
    unsigned c = __float_as_uint(fabsf(n - u[y * W + x]));      // ordered like the floats
    v[y * W + x] = n;
    c = __reduce_max_sync(0xffffffffu, c);
    if (threadIdx.x == 0) atomicMax(&most, c);
    __syncthreads();
    if (first) atomicMax(change, most);
}

int main(int argc, char **argv)
{
    int sources = argc > 1 ? atoi(argv[1]) : 8;
    const int n = W * W;
    const float eps = 2e-6f;
    float *u, *v, *src;
    unsigned *change;
    CK(cudaMalloc(&u, n * sizeof(float)));
    CK(cudaMalloc(&v, n * sizeof(float)));
    CK(cudaMalloc(&src, n * sizeof(float)));
    CK(cudaMalloc(&change, sizeof(unsigned)));
    std::vector<float> hs(n), hu(n);
    bool ok = true;
    long total = 0;

    for (int s = 0; s < sources; s++) {
        for (int i = 0; i < n; i++) hs[i] = 0.004f * (1 + ((i / W / 32 + i % W / 32 + s) & 1));
        CK(cudaMemcpy(src, hs.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        CK(cudaMemset(u, 0, n * sizeof(float)));
        int it = 0;
        while (it < LIMIT) {
            CK(cudaMemsetAsync(change, 0, sizeof(unsigned)));
            sweep<<<dim3(W / 32, W / 8), dim3(32, 8)>>>(u, v, src, change);
            std::swap(u, v);
            if (++it % LOOK == 0) {
                unsigned bits;
                CK(cudaMemcpy(&bits, change, sizeof bits, cudaMemcpyDeviceToHost));
                float c;
                memcpy(&c, &bits, sizeof c);
                if (c < eps) break;
            }
        }
        CK(cudaGetLastError());
        total += it;
        if (it >= LIMIT) ok = false;
    }
    CK(cudaMemcpy(hu.data(), u, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 1; y < W - 1; y += 7)
        for (int x = 1; x < W - 1; x += 5) {
            double want = hs[y * W + x] + 0.249 * ((double)hu[y * W + x - 1] + hu[y * W + x + 1] + hu[(y - 1) * W + x] + hu[(y + 1) * W + x]);
            if (fabs(want - hu[y * W + x]) > 2e-5) ok = false;
        }
    printf("%ld sweeps, middle %g\n", total, hu[W / 2 * W + W / 2]);
    CK(cudaFree(u)); CK(cudaFree(v)); CK(cudaFree(src)); CK(cudaFree(change));
    return report(ok);
}
