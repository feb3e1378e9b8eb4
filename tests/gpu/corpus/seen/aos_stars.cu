// Brightness statistics of a star catalogue.
#include "common.h"
#ifndef GOOD
struct Star { float ra, dec, parallax, pm_ra, pm_dec, mag, colour, teff, logg, metal, vr, err; };
__global__ void init(Star *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { s[i].mag = 5 + (i % 1000) * 0.01f; s[i].parallax = 1 + i % 9; }
}
__global__ void absolute_mag(const Star *s, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = s[i].mag + 5.0f * log10f(s[i].parallax) - 10.0f;
}
#else
__global__ void init(float *mag, float *parallax, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { mag[i] = 5 + (i % 1000) * 0.01f; parallax[i] = 1 + i % 9; }
}
__global__ void absolute_mag(const float *mag, const float *parallax, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = mag[i] + 5.0f * log10f(parallax[i]) - 10.0f;
}
#endif
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 40000000;
    float *out;
    CK(cudaMalloc(&out, n * 4ul));
    int g = (n + 255) / 256;
#ifndef GOOD
    Star *s;
    CK(cudaMalloc(&s, n * sizeof(Star)));
    init<<<g, 256>>>(s, n);
    for (int r = 0; r < reps; r++) absolute_mag<<<g, 256>>>(s, out, n);
#else
    float *m, *p;
    CK(cudaMalloc(&m, n * 4ul)); CK(cudaMalloc(&p, n * 4ul));
    init<<<g, 256>>>(m, p, n);
    for (int r = 0; r < reps; r++) absolute_mag<<<g, 256>>>(m, p, out, n);
#endif
    float h;
    CK(cudaMemcpy(&h, out + 12345, 4, cudaMemcpyDeviceToHost));
    printf("%.4f\n", h);
    return report(close_to(h, 5 + 345 * 0.01 + 5 * log10(1 + 12345 % 9) - 10, 1e-4));
}
