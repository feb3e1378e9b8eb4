// Smooths a large field that the host has prepared, in unified memory.
#include "common.h"
__global__ void smooth(const float *a, float *b, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}
int main(int argc, char **argv)
{
    int mib = argc > 1 ? atoi(argv[1]) : 1024;
    size_t n = (size_t)mib << 18;
    float *a, *b;
    CK(cudaMallocManaged(&a, n * 4)); CK(cudaMallocManaged(&b, n * 4));
    for (size_t i = 0; i < n; i++) a[i] = i % 3;
#ifdef GOOD
    cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0};
    CK(cudaMemPrefetchAsync(a, n * 4, gpu, 0, 0));
    CK(cudaMemPrefetchAsync(b, n * 4, gpu, 0, 0));
#endif
    smooth<<<(n + 255) / 256, 256>>>(a, b, n);
#ifdef GOOD
    CK(cudaMemPrefetchAsync(b, 4096, cpu, 0, 0));
#endif
    CK(cudaDeviceSynchronize());
    printf("%.3f\n", b[500]);
    return report(b[500] == 1.0f);
}
