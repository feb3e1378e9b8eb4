// Decoding with a cache of keys and values in half precision that grows by a token a step.
//   kvgrow [prompt] [new tokens]
#include "common.h"
#include <cuda_fp16.h>

constexpr int BATCH = 16, HEADS = 32, DIM = 128, ROWS = BATCH * HEADS, WARPS = 8;
constexpr size_t TOKEN = (size_t)ROWS * DIM;

__host__ __device__ inline float unit(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    return (int)(h & 255) * (1.0f / 128) - 1;
}

__host__ __device__ inline float key(int token, int i) { return unit(token * 7919u + i * 31u); }
__host__ __device__ inline float value(int token, int i) { return unit(token * 104729u + i * 17u + 5); }
__host__ __device__ inline float query(int token, int i) { return unit(token * 1299709u + i * 13u + 9) * 0.1f; }

__global__ void project(half *k, half *v, half *q, int token)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    k[i] = __float2half(key(token, i));
    v[i] = __float2half(value(token, i));
    q[i] = __float2half(query(token, i));
}

__device__ inline float4 four(const half *p)
{
    uint2 u = *(const uint2 *)p;
    float2 a = __half22float2(*(half2 *)&u.x), b = __half22float2(*(half2 *)&u.y);
    return make_float4(a.x, a.y, b.x, b.y);
}

// A block has one head of one sequence, a warp every eighth token, a lane four dimensions.
__global__ void __launch_bounds__(WARPS * 32) attend(const half *__restrict__ q, const half *__restrict__ k, const half *__restrict__ v, float *__restrict__ out, int tokens)
{
    __shared__ float4 part[WARPS][32];
    __shared__ float most[WARPS], weight[WARPS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t at = (size_t)blockIdx.x * DIM + lane * 4;
    float4 x = four(q + at), acc = make_float4(0, 0, 0, 0);
    float m = -1e30f, l = 0;
    for (int t = warp; t < tokens; t += WARPS) {
        float4 y = four(k + t * TOKEN + at), z = four(v + t * TOKEN + at);
        float s = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
        for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
        float n = fmaxf(m, s), c = __expf(m - n), p = __expf(s - n);
        acc = make_float4(acc.x * c + p * z.x, acc.y * c + p * z.y, acc.z * c + p * z.z, acc.w * c + p * z.w);
        l = l * c + p;
        m = n;
    }
    part[warp][lane] = acc;
    if (lane == 0) {
        most[warp] = m;
        weight[warp] = l;
    }
    __syncthreads();
    if (warp == 0) {
        for (int w = 0; w < WARPS; w++) m = fmaxf(m, most[w]);
        float sum = 0;
        float4 o = make_float4(0, 0, 0, 0);
        for (int w = 0; w < WARPS; w++) {
            float c = __expf(most[w] - m);
            float4 a = part[w][lane];
            o = make_float4(o.x + c * a.x, o.y + c * a.y, o.z + c * a.z, o.w + c * a.w);
            sum += c * weight[w];
        }
        *(float4 *)(out + at) = make_float4(o.x / sum, o.y / sum, o.z / sum, o.w / sum);
    }
}

int main(int argc, char **argv)
{
    int prompt = argc > 1 ? atoi(argv[1]) : 1024, fresh = argc > 2 ? atoi(argv[2]) : 128, most = prompt + fresh;
    half *k, *v, *q;
    float *out;
    CK(cudaMalloc(&k, most * TOKEN * 2));
    CK(cudaMalloc(&v, most * TOKEN * 2));
    CK(cudaMalloc(&q, TOKEN * 2));
    CK(cudaMalloc(&out, TOKEN * 4));
#ifndef GOOD
    half *k2, *v2, *k1, *v1;
    CK(cudaMalloc(&k2, most * TOKEN * 2));
    CK(cudaMalloc(&v2, most * TOKEN * 2));
    CK(cudaMalloc(&k1, TOKEN * 2));
    CK(cudaMalloc(&v1, TOKEN * 2));
#endif
    for (int t = 0; t < prompt; t++) project<<<TOKEN / 256, 256>>>(k + t * TOKEN, v + t * TOKEN, q, t);
    for (int t = prompt; t < most; t++) {
#ifndef GOOD
        // cat(old, new)
        project<<<TOKEN / 256, 256>>>(k1, v1, q, t);
        CK(cudaMemcpyAsync(k2, k, t * TOKEN * 2, cudaMemcpyDeviceToDevice));
        CK(cudaMemcpyAsync(k2 + t * TOKEN, k1, TOKEN * 2, cudaMemcpyDeviceToDevice));
        CK(cudaMemcpyAsync(v2, v, t * TOKEN * 2, cudaMemcpyDeviceToDevice));
        CK(cudaMemcpyAsync(v2 + t * TOKEN, v1, TOKEN * 2, cudaMemcpyDeviceToDevice));
        std::swap(k, k2);
        std::swap(v, v2);
#else
        project<<<TOKEN / 256, 256>>>(k + t * TOKEN, v + t * TOKEN, q, t);
#endif
        attend<<<ROWS, WARPS * 32>>>(q, k, v, out, t + 1);
        CK(cudaGetLastError());
    }
    std::vector<float> h(TOKEN);
    CK(cudaMemcpy(h.data(), out, TOKEN * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int row = 1; row < ROWS; row += 170) {
        double l = 0, o = 0;
        for (int t = 0; t < most; t++) {
            double s = 0;
            for (int d = 0; d < DIM; d++)
                s += __half2float(__float2half(query(most - 1, row * DIM + d))) * key(t, row * DIM + d);
            l += exp(s);
            o += exp(s) * value(t, row * DIM + 3);
        }
        ok = ok && fabs(o / l - h[row * DIM + 3]) < 2e-3;
    }
    printf("out[3] = %.5f\n", h[3]);
    return report(ok);
}
