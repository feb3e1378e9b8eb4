// Bilateral filter of a noisy single-channel picture: edge-preserving smoothing over
// a (2R+1)^2 window, one output pixel per thread.
#include "common.h"

#ifndef SIDE
#define SIDE 8192
#endif
#define R 10

#ifdef GOOD
typedef float real;
#else
typedef double real;
#endif

__global__ void make_picture(float *img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned s = (unsigned)(y * w + x) * 2654435761u;
    s ^= s >> 15; s *= 2246822519u; s ^= s >> 13;
    float noise = (s >> 8) * (1.0f / 16777216.0f) - 0.5f;
    float base = ((x >> 6) + (y >> 6)) & 1 ? 0.8f : 0.2f;
    img[(size_t)y * w + x] = base + 0.1f * noise;
}

__global__ void bilateral(const float *__restrict__ img, float *__restrict__ out, int w, int h,
                          real inv_space, real inv_range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    real centre = img[(size_t)y * w + x];
    real sum = 0, norm = 0;
    for (int dy = -R; dy <= R; dy++) {
        int yy = min(max(y + dy, 0), h - 1);
        for (int dx = -R; dx <= R; dx++) {
            int xx = min(max(x + dx, 0), w - 1);
            real v = img[(size_t)yy * w + xx];
            real d = v - centre;
            real wgt = exp(-(real)(dx * dx + dy * dy) * inv_space - d * d * inv_range);
            sum += wgt * v;
            norm += wgt;
        }
    }
    out[(size_t)y * w + x] = (float)(sum / norm);
}

static float host_pixel(const std::vector<float> &p, int x, int y, int w, int h, double is, double ir)
{
    double c = p[(size_t)y * w + x], sum = 0, norm = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            int yy = std::min(std::max(y + dy, 0), h - 1), xx = std::min(std::max(x + dx, 0), w - 1);
            double v = p[(size_t)yy * w + xx], d = v - c;
            double g = exp(-(dx * dx + dy * dy) * is - d * d * ir);
            sum += g * v;
            norm += g;
        }
    return (float)(sum / norm);
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 1;
    const int w = SIDE, h = SIDE;
    size_t n = (size_t)w * h;
    double sigma_s = 4.0, sigma_r = 0.12;
    double is = 1.0 / (2.0 * sigma_s * sigma_s), ir = 1.0 / (2.0 * sigma_r * sigma_r);
    float *a, *b;
    CK(cudaMalloc(&a, n * sizeof(float)));
    CK(cudaMalloc(&b, n * sizeof(float)));
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    make_picture<<<grid, block>>>(a, w, h);
    CK(cudaGetLastError());

    for (int p = 0; p < passes; p++) bilateral<<<grid, block>>>(a, b, w, h, (real)is, (real)ir);
    CK(cudaGetLastError());

    std::vector<float> pic(n), res(n);
    CK(cudaMemcpy(pic.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(res.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned seed = 5;
    for (int t = 0; t < 40; t++) {
        int x = t == 0 ? 0 : (int)(frand(seed) * w), y = t == 1 ? h - 1 : (int)(frand(seed) * h);
        ok = ok && close_to(res[(size_t)y * w + x], host_pixel(pic, x, y, w, h, is, ir), 1e-3);
    }
    CK(cudaFree(a)); CK(cudaFree(b));
    return report(ok);
}
