// Unsharp masking of 16-megapixel pictures: separable Gaussian, then the difference is added.
//   sharpen [pictures]
#include "common.h"

const int W = 4096, H = 4096, RADIUS = 4;
__constant__ float weight[RADIUS + 1] = {0.2042f, 0.1802f, 0.1238f, 0.0663f, 0.0276f};

__global__ void shot(float *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = i * 2654435761u;
    p[i] = (h >> 16) * (0.2f / 65536) + (i / 64 % 2 ^ i / W / 64 % 2) * 0.6f;
}

__global__ void blur_rows(const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * W;
    float s = weight[0] * in[row + x];
#pragma unroll
    for (int k = 1; k <= RADIUS; k++) s += weight[k] * (in[row + max(x - k, 0)] + in[row + min(x + k, W - 1)]);
    out[row + x] = s;
}

__global__ void blur_columns_and_add(const float *__restrict__ rows, const float *__restrict__ in, float *__restrict__ out, float amount)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float s = weight[0] * rows[y * W + x];
#pragma unroll
    for (int k = 1; k <= RADIUS; k++) s += weight[k] * (rows[max(y - k, 0) * W + x] + rows[min(y + k, H - 1) * W + x]);
    float v = in[y * W + x];
    out[y * W + x] = fminf(fmaxf(v + amount * (v - s), 0.0f), 1.0f);
}

#ifdef GOOD
static float *scratch;
#endif

static void unsharp(const float *in, float *out, float amount)
{
    dim3 grid(W / 256, H);
#ifndef GOOD
    float *scratch;
    CK(cudaMalloc(&scratch, (size_t)W * H * sizeof(float)));
#else
    if (!scratch) CK(cudaMalloc(&scratch, (size_t)W * H * sizeof(float)));
#endif
    blur_rows<<<grid, 256>>>(in, scratch);
    blur_columns_and_add<<<grid, 256>>>(scratch, in, out, amount);
    CK(cudaGetLastError());
#ifndef GOOD
    CK(cudaFree(scratch));
#endif
}

int main(int argc, char **argv)
{
    int pictures = argc > 1 ? atoi(argv[1]) : 1500;
    float *in, *out;
    CK(cudaMalloc(&in, (size_t)W * H * sizeof(float)));
    CK(cudaMalloc(&out, (size_t)W * H * sizeof(float)));
    shot<<<W * H / 256, 256>>>(in);
    CK(cudaGetLastError());
    for (int k = 0; k < pictures; k++) unsharp(in, out, 0.5f + 0.001f * (k % 100));
    std::vector<float> h((size_t)W * H);
    CK(cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    printf("mean %.5f\n", sum / h.size());
    return report(sum > 0);
}
