// Mandelbrot set.
#include "common.h"
struct Complex {
    float re, im;
    __device__ Complex(float a, float b) : re(a), im(b) {}
    __device__ Complex operator*(const Complex &o) const { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); }
    __device__ Complex operator+(const Complex &o) const { return Complex(re + o.re, im + o.im); }
    __device__ float norm() const { return re * re + im * im; }
};
__global__ void mandelbrot(unsigned char *img, int w, int h, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    Complex c(3.0f * x / w - 2.0f, 2.0f * y / h - 1.0f), z(0, 0);
    int k = 0;
    while (k < most && z.norm() < 4) { z = z * z + c; k++; }
    img[y * w + x] = k * 255 / most;
}
int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 10;
    const int w = 3840, h = 2160;
    unsigned char *d, v;
    CK(cudaMalloc(&d, w * h));
    for (int f = 0; f < frames; f++) mandelbrot<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(d, w, h, 300);
    CK(cudaMemcpy(&v, d + h / 2 * w + w / 2, 1, cudaMemcpyDeviceToHost));
    printf("%d\n", v);
    return report(v == 255);
}
