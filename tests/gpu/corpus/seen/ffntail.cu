// End of the feed-forward layer of a transformer in training: bias, GELU, dropout and the residual
// connection on the result of the matrix product.
#include "common.h"

#ifndef TOKENS
#define TOKENS 16384
#endif
const int WIDTH = 4096, VEC = WIDTH / 4;
const float KEEP = 0.9f;

__host__ __device__ inline bool kept(unsigned i, unsigned step)
{
    unsigned k = i ^ step * 0x9e3779b9u;
    k ^= k >> 16; k *= 0x7feb352du; k ^= k >> 15; k *= 0x846ca68bu; k ^= k >> 16;
    return k < (unsigned)(0.9 * 4294967296.0);
}

__device__ inline float gelu(float x)
{
    float e = __expf(1.5957691f * (x + 0.044715f * x * x * x));
    return x - __fdividef(x, 1.0f + e);
}

template <typename F> __device__ inline float4 each(float4 a, F f) { return make_float4(f(a.x), f(a.y), f(a.z), f(a.w)); }

__device__ inline float4 plus(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__device__ inline float4 masked(float4 a, unsigned i, unsigned step)
{
    const float s = 1.0f / KEEP;
    return make_float4(kept(i, step) ? a.x * s : 0, kept(i + 1, step) ? a.y * s : 0,
                       kept(i + 2, step) ? a.z * s : 0, kept(i + 3, step) ? a.w * s : 0);
}

#ifdef GOOD
__global__ void __launch_bounds__(256) tail(const float4 *__restrict__ x, const float4 *__restrict__ bias,
                                            const float4 *__restrict__ skip, float4 *__restrict__ y, unsigned step)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = each(plus(x[i], bias[i % VEC]), gelu);
    y[i] = plus(masked(a, 4 * i, step), skip[i]);
}
#else
__global__ void __launch_bounds__(256) bias_add(const float4 *__restrict__ x, const float4 *__restrict__ bias, float4 *__restrict__ y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = plus(x[i], bias[i % VEC]);
}

__global__ void __launch_bounds__(256) activate(float4 *y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = each(y[i], gelu);
}

__global__ void __launch_bounds__(256) dropout(float4 *y, unsigned step)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = masked(y[i], 4 * i, step);
}

__global__ void __launch_bounds__(256) residual(float4 *y, const float4 *__restrict__ skip)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = plus(y[i], skip[i]);
}
#endif

__global__ void activations(float *x, float *skip)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned k = (unsigned)i * 2654435761u;
    k ^= k >> 15; k *= 0x2c1b3c6du; k ^= k >> 13;
    x[i] = (k & 0xffff) * (6.0f / 65536.0f) - 3.0f;
    skip[i] = (k >> 16) * (2.0f / 65536.0f) - 1.0f;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 2700;
    const size_t n = (size_t)TOKENS * WIDTH;
    const unsigned blocks = (unsigned)(n / 4 / 256);
    float *x, *skip, *y, *bias;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&skip, n * sizeof(float)));
    CK(cudaMalloc(&y, n * sizeof(float)));
    CK(cudaMalloc(&bias, WIDTH * sizeof(float)));
    std::vector<float> hb(WIDTH);
    unsigned seed = 12;
    for (auto &b : hb) b = frand(seed) - 0.5f;
    CK(cudaMemcpy(bias, hb.data(), WIDTH * sizeof(float), cudaMemcpyHostToDevice));
    activations<<<(unsigned)(n / 256), 256>>>(x, skip);
    float4 *y4 = (float4 *)y;
    const float4 *x4 = (const float4 *)x, *skip4 = (const float4 *)skip, *bias4 = (const float4 *)bias;
    for (int s = 0; s < steps; s++) {
#ifdef GOOD
        tail<<<blocks, 256>>>(x4, bias4, skip4, y4, s);
#else
        bias_add<<<blocks, 256>>>(x4, bias4, y4);
        activate<<<blocks, 256>>>(y4);
        dropout<<<blocks, 256>>>(y4, s);
        residual<<<blocks, 256>>>(y4, skip4);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> hx(WIDTH), hs(WIDTH), hy(WIDTH);
    int zeros = 0;
    for (int t = 0; t < 20; t++) {
        size_t row = (size_t)(frand(seed) * TOKENS) * WIDTH;
        CK(cudaMemcpy(hx.data(), x + row, WIDTH * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(hs.data(), skip + row, WIDTH * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(hy.data(), y + row, WIDTH * sizeof(float), cudaMemcpyDeviceToHost));
        for (int c = 0; c < WIDTH; c++) {
            double a = (double)hx[c] + hb[c], g = 0.5 * a * (1 + tanh(0.7978845608 * (a + 0.044715 * a * a * a)));
            bool keep = kept((unsigned)(row + c), (unsigned)(steps - 1));
            zeros += !keep;
            ok = ok && close_to(hy[c], (keep ? g / KEEP : 0.0) + hs[c], 1e-3);
        }
    }
    printf("dropped: %.3f\n", zeros / (20.0 * WIDTH));
    ok = ok && zeros > 0;
    CK(cudaFree(x)); CK(cudaFree(skip)); CK(cudaFree(y)); CK(cudaFree(bias));
    return report(ok);
}
