// Work-efficient exclusive scan of many independent segments of 1024 floats.
#include "common.h"
#ifdef GOOD
#define AT(i) ((i) + ((i) >> 5))
#else
#define AT(i) (i)
#endif
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = i % 5; }
__global__ void segment_scan(const float *in, float *out)
{
    __shared__ float t[1024 + 32];
    int k = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 1024;
    t[AT(k)] = in[base + k];
    t[AT(k + 512)] = in[base + k + 512];
    int off = 1;
    for (int d = 512; d > 0; d >>= 1) {
        __syncthreads();
        if (k < d) {
            int ai = off * (2 * k + 1) - 1, bi = off * (2 * k + 2) - 1;
            t[AT(bi)] += t[AT(ai)];
        }
        off *= 2;
    }
    if (k == 0) t[AT(1023)] = 0;
    for (int d = 1; d < 1024; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (k < d) {
            int ai = off * (2 * k + 1) - 1, bi = off * (2 * k + 2) - 1;
            float x = t[AT(ai)];
            t[AT(ai)] = t[AT(bi)];
            t[AT(bi)] += x;
        }
    }
    __syncthreads();
    out[base + k] = t[AT(k)];
    out[base + k + 512] = t[AT(k + 512)];
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 100;
    const int segs = 65536;
    size_t n = (size_t)segs * 1024;
    float *a, *b;
    CK(cudaMalloc(&a, n * 4)); CK(cudaMalloc(&b, n * 4));
    init<<<n / 256, 256>>>(a, n);
    for (int r = 0; r < reps; r++) segment_scan<<<segs, 512>>>(a, b);
    std::vector<float> h(1024);
    CK(cudaMemcpy(h.data(), b + 5 * 1024, 4096, cudaMemcpyDeviceToHost));
    double s = 0; bool ok = true;
    for (int i = 0; i < 1024; i++) { ok = ok && close_to(h[i], s, 1e-5); s += (5 * 1024 + i) % 5; }
    printf("%.0f\n", h[1023]);
    return report(ok);
}
