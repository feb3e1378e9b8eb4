// Escape times of the Julia set, small blocks.
#include "common.h"
#ifndef GOOD
#define BX 4
#define BY 4
#else
#define BX 32
#define BY 8
#endif
__global__ void julia(unsigned char *img, int n, float cr, float ci)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float a = 3.0f * x / n - 1.5f, b = 3.0f * y / n - 1.5f;
    int k = 0;
    for (; k < 200 && a * a + b * b < 4; k++) { float t = a * a - b * b + cr; b = 2 * a * b + ci; a = t; }
    img[y * n + x] = k;
}
int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 50;
    const int n = 8192;
    unsigned char *d;
    CK(cudaMalloc(&d, n * n));
    for (int f = 0; f < frames; f++) julia<<<dim3(n / BX, n / BY), dim3(BX, BY)>>>(d, n, -0.8f + 0.0001f * f, 0.156f);
    unsigned char h;
    CK(cudaMemcpy(&h, d, 1, cudaMemcpyDeviceToHost));
    printf("corner %d\n", h);
    return report(h < 3);
}
