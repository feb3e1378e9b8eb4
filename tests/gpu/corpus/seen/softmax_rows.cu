// Softmax over the classes of each sample (logits stored sample by sample).
#include "common.h"
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = (i * 7 % 31) * 0.1f; }
__global__ void softmax(const float *in, float *out, int samples, int classes)
{
#ifndef GOOD
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= samples) return;
    const float *x = in + (size_t)s * classes;
    float *y = out + (size_t)s * classes;
    float m = -1e30f, sum = 0;
    for (int c = 0; c < classes; c++) m = fmaxf(m, x[c]);
    for (int c = 0; c < classes; c++) sum += expf(x[c] - m);
    for (int c = 0; c < classes; c++) y[c] = expf(x[c] - m) / sum;
#else
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (s >= samples) return;
    const float *x = in + (size_t)s * classes;
    float *y = out + (size_t)s * classes;
    float m = -1e30f, sum = 0;
    for (int c = lane; c < classes; c += 32) m = fmaxf(m, x[c]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    for (int c = lane; c < classes; c += 32) sum += expf(x[c] - m);
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    for (int c = lane; c < classes; c += 32) y[c] = expf(x[c] - m) / sum;
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 20;
    const int samples = 200000, classes = 1000;
    size_t n = (size_t)samples * classes;
    float *a, *b;
    CK(cudaMalloc(&a, n * 4)); CK(cudaMalloc(&b, n * 4));
    init<<<(n + 255) / 256, 256>>>(a, n);
    for (int r = 0; r < reps; r++)
#ifndef GOOD
        softmax<<<(samples + 127) / 128, 128>>>(a, b, samples, classes);
#else
        softmax<<<(samples + 3) / 4, 128>>>(a, b, samples, classes);
#endif
    std::vector<float> h(classes);
    CK(cudaMemcpy(h.data(), b + (size_t)99 * classes, classes * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    printf("%.5f\n", h[0]);
    return report(close_to(sum, 1, 1e-4));
}
