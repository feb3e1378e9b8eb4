// Neural network by hand: the end of a residual block in training (bias, hard swish, layer scale, dropout, skip
// connection) on a batch of activations, channels last.
// usage: swishtail thousandRows steps
#include "common.h"

#define CH 256               // channels
#define KEEP 0.9f

__host__ __device__ inline unsigned mixed(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline float unit(unsigned i, unsigned salt) { return (mixed(i ^ salt) >> 8) * (4.0f / 16777216.0f) - 2.0f; }
__host__ __device__ inline unsigned char kept(unsigned i) { return mixed(i + 12345u) % 10 != 0; }
__host__ __device__ inline float hswish(float x) { return x * fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f); }

__global__ void fill(float4 *x, float4 *skip, uchar4 *mask, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = 4 * i;
    if (i >= n4) return;
    x[i] = make_float4(unit(k, 1), unit(k + 1, 1), unit(k + 2, 1), unit(k + 3, 1));
    skip[i] = make_float4(unit(k, 2), unit(k + 1, 2), unit(k + 2, 2), unit(k + 3, 2));
    mask[i] = uchar4{kept(k), kept(k + 1), kept(k + 2), kept(k + 3)};
}

#ifdef GOOD

__device__ inline float end_of_block(float x, float bias, float scale, unsigned char keep, float skip)
{
    return hswish(x + bias) * scale * (keep ? 1.0f / KEEP : 0.0f) + skip;
}

__global__ void block_tail(const float4 *__restrict__ x, const float4 *__restrict__ bias, const float4 *__restrict__ scale,
                           const uchar4 *__restrict__ mask, const float4 *__restrict__ skip, float4 *__restrict__ y, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, c = i % (CH / 4);
    if (i >= n4) return;
    float4 v = x[i], b = bias[c], s = scale[c], k = skip[i];
    uchar4 m = mask[i];
    v.x = end_of_block(v.x, b.x, s.x, m.x, k.x);
    v.y = end_of_block(v.y, b.y, s.y, m.y, k.y);
    v.z = end_of_block(v.z, b.z, s.z, m.z, k.z);
    v.w = end_of_block(v.w, b.w, s.w, m.w, k.w);
    y[i] = v;
}

#else

__global__ void add_bias(const float4 *__restrict__ x, const float4 *__restrict__ bias, float4 *__restrict__ y, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = x[i], b = bias[i % (CH / 4)];
    y[i] = make_float4(v.x + b.x, v.y + b.y, v.z + b.z, v.w + b.w);
}

__global__ void hard_swish(float4 *y, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = y[i];
    y[i] = make_float4(hswish(v.x), hswish(v.y), hswish(v.z), hswish(v.w));
}

__global__ void layer_scale(float4 *y, const float4 *__restrict__ scale, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = y[i], s = scale[i % (CH / 4)];
    y[i] = make_float4(v.x * s.x, v.y * s.y, v.z * s.z, v.w * s.w);
}

__global__ void dropout(float4 *y, const uchar4 *__restrict__ mask, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = y[i];
    uchar4 m = mask[i];
    const float g = 1.0f / KEEP;
    y[i] = make_float4(m.x ? v.x * g : 0.0f, m.y ? v.y * g : 0.0f, m.z ? v.z * g : 0.0f, m.w ? v.w * g : 0.0f);
}

__global__ void add_skip(float4 *y, const float4 *__restrict__ skip, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = y[i], k = skip[i];
    y[i] = make_float4(v.x + k.x, v.y + k.y, v.z + k.z, v.w + k.w);
}

#endif

int main(int argc, char **argv)
{
    unsigned n = (argc > 1 ? atoi(argv[1]) : 128) * 1024u * CH, n4 = n / 4;
    int steps = argc > 2 ? atoi(argv[2]) : 3000;
    float4 *x, *skip, *y, *bias, *scale; uchar4 *mask;
    CK(cudaMalloc(&x, n * sizeof(float))); CK(cudaMalloc(&skip, n * sizeof(float))); CK(cudaMalloc(&y, n * sizeof(float)));
    CK(cudaMalloc(&mask, n)); CK(cudaMalloc(&bias, CH * sizeof(float))); CK(cudaMalloc(&scale, CH * sizeof(float)));
    float hb[CH], hs[CH];
    for (int c = 0; c < CH; c++) { hb[c] = 0.1f * unit(c, 3); hs[c] = 0.5f + 0.1f * unit(c, 4); }
    CK(cudaMemcpy(bias, hb, sizeof hb, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(scale, hs, sizeof hs, cudaMemcpyHostToDevice));
    unsigned blocks = (n4 + 255) / 256;
    fill<<<blocks, 256>>>(x, skip, mask, n4);
    for (int s = 0; s < steps; s++) {
#ifdef GOOD
        block_tail<<<blocks, 256>>>(x, bias, scale, mask, skip, y, n4);
#else
        add_bias<<<blocks, 256>>>(x, bias, y, n4);
        hard_swish<<<blocks, 256>>>(y, n4);
        layer_scale<<<blocks, 256>>>(y, scale, n4);
        dropout<<<blocks, 256>>>(y, mask, n4);
        add_skip<<<blocks, 256>>>(y, skip, n4);
#endif
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned i = 0; i < n; i += 211) {
        float v = hswish(unit(i, 1) + hb[i % CH]) * hs[i % CH] * (kept(i) ? 1.0f / KEEP : 0.0f) + unit(i, 2);
        ok = ok && fabsf(v - got[i]) < 1e-4f;
    }
    printf("first activation %.5f\n", got[0]);
    CK(cudaFree(x)); CK(cudaFree(skip)); CK(cudaFree(y)); CK(cudaFree(mask)); CK(cudaFree(bias)); CK(cudaFree(scale));
    return report(ok);
}
