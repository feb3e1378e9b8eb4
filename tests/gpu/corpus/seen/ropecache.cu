// Prefill of a decoder layer: the key vectors are RMS-normalised per head, rotated
// by their position and stored in the half-precision KV cache. One warp handles
// the 128 values of one head of one token.
#include "common.h"
#include <cuda_fp16.h>

constexpr int TOKENS = 16384, HEADS = 32, HD = 128;
constexpr int VECS = TOKENS * HEADS;

__host__ __device__ inline float key_val(unsigned i)
{
    i ^= i >> 15; i *= 0x2c1b3c6du; i ^= i >> 12; i *= 0x297a2d39u; i ^= i >> 15;
    return (i >> 8) * (4.0f / 16777216.0f) - 2.0f;
}
__host__ __device__ inline float gain_val(int d) { return 0.5f + (d * 7 % 16) * 0.0625f; }

__global__ void init_keys(float4 *k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    k[i] = make_float4(key_val(4 * i), key_val(4 * i + 1), key_val(4 * i + 2), key_val(4 * i + 3));
}
__global__ void init_tables(float4 *rot, float4 *gain)
{
    int t = blockIdx.x, l = threadIdx.x;                 // one position, lane l holds pairs 2l and 2l+1
    float w0 = powf(10000.0f, -(2 * l) / 64.0f), w1 = powf(10000.0f, -(2 * l + 1) / 64.0f);
    rot[t * 32 + l] = make_float4(cosf(t * w0), sinf(t * w0), cosf(t * w1), sinf(t * w1));
    if (t == 0) gain[l] = make_float4(gain_val(4 * l), gain_val(4 * l + 1), gain_val(4 * l + 2), gain_val(4 * l + 3));
}

__device__ inline float4 rms(float4 x, float4 g)
{
    float s = x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    float r = rsqrtf(s * (1.0f / HD) + 1e-5f);
    return make_float4(x.x * r * g.x, x.y * r * g.y, x.z * r * g.z, x.w * r * g.w);
}
__device__ inline float4 rotate(float4 x, float4 c)
{
    return make_float4(x.x * c.x - x.y * c.y, x.x * c.y + x.y * c.x, x.z * c.z - x.w * c.w, x.z * c.w + x.w * c.z);
}
__device__ inline uint2 pack(float4 x)
{
    __half2 a = __floats2half2_rn(x.x, x.y), b = __floats2half2_rn(x.z, x.w);
    return make_uint2(*(unsigned *)&a, *(unsigned *)&b);
}

#ifdef GOOD
__global__ void append_keys(const float4 *k, const float4 *gain, const float4 *rot, uint2 *cache)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i & 31, vec = i >> 5;
    int tok = vec / HEADS, head = vec % HEADS;
    float4 x = rotate(rms(k[i], gain[lane]), rot[tok * 32 + lane]);
    cache[((size_t)head * TOKENS + tok) * 32 + lane] = pack(x);
}
#else
__global__ void key_norm(const float4 *k, const float4 *gain, float4 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = rms(k[i], gain[i & 31]);
}
__global__ void key_rotary(float4 *k, const float4 *rot)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int tok = (i >> 5) / HEADS;
    k[i] = rotate(k[i], rot[tok * 32 + (i & 31)]);
}
__global__ void key_store(const float4 *k, uint2 *cache)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i & 31, vec = i >> 5;
    int tok = vec / HEADS, head = vec % HEADS;
    cache[((size_t)head * TOKENS + tok) * 32 + lane] = pack(k[i]);
}
#endif

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 250;
    float4 *k, *gain, *rot;
    uint2 *cache;
    CK(cudaMalloc(&k, (size_t)VECS * HD * sizeof(float)));
    CK(cudaMalloc(&gain, HD * sizeof(float)));
    CK(cudaMalloc(&rot, (size_t)TOKENS * HD * sizeof(float)));
    CK(cudaMalloc(&cache, (size_t)VECS * HD * sizeof(__half)));
    init_keys<<<VECS * 32 / 256, 256>>>(k);
    init_tables<<<TOKENS, 32>>>(rot, gain);
    CK(cudaGetLastError());
    const int grid = VECS * 32 / 256;
#ifndef GOOD
    float4 *tmp;
    CK(cudaMalloc(&tmp, (size_t)VECS * HD * sizeof(float)));
#endif
    for (int l = 0; l < layers; l++) {
#ifdef GOOD
        append_keys<<<grid, 256>>>(k, gain, rot, cache);
#else
        key_norm<<<grid, 256>>>(k, gain, tmp);
        key_rotary<<<grid, 256>>>(tmp, rot);
        key_store<<<grid, 256>>>(tmp, cache);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 10; q++) {
        int tok = (q * 1709 + 3) % TOKENS, head = (q * 5 + 1) % HEADS, pair = (q * 11 + 20) % 64;
        unsigned base = (unsigned)(tok * HEADS + head) * HD;
        double s = 0;
        for (int d = 0; d < HD; d++) s += (double)key_val(base + d) * key_val(base + d);
        double r = 1.0 / sqrt(s / HD + 1e-5), w = tok * (double)powf(10000.0f, -pair / 64.0f);
        double a = key_val(base + 2 * pair) * r * gain_val(2 * pair), b = key_val(base + 2 * pair + 1) * r * gain_val(2 * pair + 1);
        __half2 h;
        CK(cudaMemcpy(&h, (__half *)cache + ((size_t)head * TOKENS + tok) * HD + 2 * pair, sizeof h, cudaMemcpyDeviceToHost));
        ok = ok && close_to(__low2float(h), a * cos(w) - b * sin(w), 2e-2) && close_to(__high2float(h), a * sin(w) + b * cos(w), 2e-2);
    }
#ifndef GOOD
    CK(cudaFree(tmp));
#endif
    CK(cudaFree(k)); CK(cudaFree(gain)); CK(cudaFree(rot)); CK(cudaFree(cache));
    return report(ok);
}
