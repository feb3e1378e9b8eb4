// Developing 24-megapixel pictures: black level, white balance, colour matrix, tone curve,
// vignetting, on three planes of floats.
//   raw_develop [pictures]
#include "common.h"

struct Picture { float *r, *g, *b; };

const int WIDTH = 6000, HEIGHT = 4000, PIXELS = WIDTH * HEIGHT;
const int BLOCK = 256, GRID = (PIXELS + BLOCK - 1) / BLOCK;

__device__ inline float3 black_level(float3 p, float level)
{
    float s = 1.0f / (1.0f - level);
    return make_float3(fmaxf(p.x - level, 0) * s, fmaxf(p.y - level, 0) * s, fmaxf(p.z - level, 0) * s);
}
__device__ inline float3 white_balance(float3 p, float3 w) { return make_float3(p.x * w.x, p.y * w.y, p.z * w.z); }
__device__ inline float3 colour_matrix(float3 p)
{
    return make_float3(fmaxf(1.6f * p.x - 0.5f * p.y - 0.1f * p.z, 0), fmaxf(-0.2f * p.x + 1.5f * p.y - 0.3f * p.z, 0),
                       fmaxf(0.05f * p.x - 0.45f * p.y + 1.4f * p.z, 0));
}
__device__ inline float tone(float v) { return __fdividef(v * (1 + v * 0.25f), 1 + v); }
__device__ inline float3 vignette(float3 p, int i)
{
    float x = (i % WIDTH) * (2.0f / WIDTH) - 1, y = (i / WIDTH) * (2.0f / HEIGHT) - 1, f = 1 + 0.3f * (x * x + y * y);
    return make_float3(p.x * f, p.y * f, p.z * f);
}

__device__ inline float3 load(Picture p, int i) { return make_float3(p.r[i], p.g[i], p.b[i]); }
__device__ inline void store(Picture p, int i, float3 v) { p.r[i] = v.x; p.g[i] = v.y; p.b[i] = v.z; }

__global__ void expose(Picture p, unsigned shot)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PIXELS) return;
    unsigned h = (i + shot * 77731u) * 2654435761u;
    store(p, i, make_float3((h >> 22) / 1024.0f, (h >> 12 & 1023) / 1024.0f, (h >> 2 & 1023) / 1024.0f));
}

#ifndef GOOD
__global__ void black_kernel(Picture in, Picture out, float level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PIXELS) store(out, i, black_level(load(in, i), level));
}
__global__ void balance_kernel(Picture p, float3 w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PIXELS) store(p, i, white_balance(load(p, i), w));
}
__global__ void matrix_kernel(Picture p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PIXELS) store(p, i, colour_matrix(load(p, i)));
}
__global__ void tone_kernel(Picture p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PIXELS) return;
    float3 v = load(p, i);
    store(p, i, make_float3(tone(v.x), tone(v.y), tone(v.z)));
}
__global__ void vignette_kernel(Picture p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PIXELS) store(p, i, vignette(load(p, i), i));
}
#else
__global__ void develop_kernel(Picture in, Picture out, float level, float3 w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PIXELS) return;
    float3 v = colour_matrix(white_balance(black_level(load(in, i), level), w));
    store(out, i, vignette(make_float3(tone(v.x), tone(v.y), tone(v.z)), i));
}
#endif

static Picture picture()
{
    Picture p;
    CK(cudaMalloc(&p.r, PIXELS * sizeof(float)));
    CK(cudaMalloc(&p.g, PIXELS * sizeof(float)));
    CK(cudaMalloc(&p.b, PIXELS * sizeof(float)));
    return p;
}

int main(int argc, char **argv)
{
    int pictures = argc > 1 ? atoi(argv[1]) : 200;
    Picture raw[4], out = picture();
    for (int k = 0; k < 4; k++) {
        raw[k] = picture();
        expose<<<GRID, BLOCK>>>(raw[k], k);
        CK(cudaGetLastError());
    }
    for (int k = 0; k < pictures; k++) {
        Picture in = raw[k % 4];
        float level = 0.03f + 0.0001f * k;
        float3 w = make_float3(1.9f, 1.0f, 1.6f);
#ifndef GOOD
        black_kernel<<<GRID, BLOCK>>>(in, out, level);
        balance_kernel<<<GRID, BLOCK>>>(out, w);
        matrix_kernel<<<GRID, BLOCK>>>(out);
        tone_kernel<<<GRID, BLOCK>>>(out);
        vignette_kernel<<<GRID, BLOCK>>>(out);
#else
        develop_kernel<<<GRID, BLOCK>>>(in, out, level, w);
#endif
        CK(cudaGetLastError());
    }
    std::vector<float> h(1 << 20);
    double sum = 0;
    for (float *plane : {out.r, out.g, out.b}) {
        CK(cudaMemcpy(h.data(), plane, h.size() * 4, cudaMemcpyDeviceToHost));
        for (float x : h) sum += x;
    }
    printf("mean value %.4f\n", sum / (3 * h.size()));
    return report(sum > 0);
}
