// Attention of one new token over a long key/value cache (decoding), 32 heads.
#include "common.h"
#define D 128
__global__ void init(float *a, size_t n, float f) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = ((i * 2654435761u >> 12) % 1000) * f - 500 * f; }
// part: a block's share of the keys. Each of 8 warps takes every eighth key.
__global__ void attend(const float *q, const float *K, const float *V, float *part, float *stat, int len, int parts)
{
    __shared__ float acc[8][D], ml[8][2];
    int head = blockIdx.x, p = blockIdx.y, w = threadIdx.x / 32, lane = threadIdx.x % 32;
    int k0 = (size_t)len * p / parts, k1 = (size_t)len * (p + 1) / parts;
    float4 qv = ((const float4 *)(q + head * D))[lane], o = make_float4(0, 0, 0, 0);
    float m = -1e30f, l = 0;
    for (int k = k0 + w; k < k1; k += 8) {
        size_t row = ((size_t)head * len + k) * D / 4 + lane;
        float4 kv = ((const float4 *)K)[row], vv = ((const float4 *)V)[row];
        float s = qv.x * kv.x + qv.y * kv.y + qv.z * kv.z + qv.w * kv.w;
        for (int x = 16; x; x >>= 1) s += __shfl_xor_sync(~0u, s, x);
        s *= 0.088388f;
        float nm = fmaxf(m, s), a = __expf(m - nm), e = __expf(s - nm);
        l = l * a + e; m = nm;
        o.x = o.x * a + e * vv.x; o.y = o.y * a + e * vv.y; o.z = o.z * a + e * vv.z; o.w = o.w * a + e * vv.w;
    }
    ((float4 *)acc[w])[lane] = o;
    if (lane == 0) { ml[w][0] = m; ml[w][1] = l; }
    __syncthreads();
    if (threadIdx.x < D) {
        float M = -1e30f, L = 0, v = 0;
        for (int i = 0; i < 8; i++) M = fmaxf(M, ml[i][0]);
        for (int i = 0; i < 8; i++) { float e = __expf(ml[i][0] - M); L += e * ml[i][1]; v += e * acc[i][threadIdx.x]; }
        part[((size_t)head * parts + p) * D + threadIdx.x] = v;
        if (threadIdx.x == 0) { stat[(head * parts + p) * 2] = M; stat[(head * parts + p) * 2 + 1] = L; }
    }
}
__global__ void combine(const float *part, const float *stat, float *out, int parts)
{
    int head = blockIdx.x;
    float M = -1e30f, L = 0, v = 0;
    for (int p = 0; p < parts; p++) M = fmaxf(M, stat[(head * parts + p) * 2]);
    for (int p = 0; p < parts; p++) {
        float e = __expf(stat[(head * parts + p) * 2] - M);
        L += e * stat[(head * parts + p) * 2 + 1];
        v += e * part[((size_t)head * parts + p) * D + threadIdx.x];
    }
    out[head * D + threadIdx.x] = v / L;
}
int main(int argc, char **argv)
{
    int tokens = argc > 1 ? atoi(argv[1]) : 200;
    const int heads = 32, len = 65536;
#ifndef GOOD
    const int parts = 1;
#else
    const int parts = 32;
#endif
    size_t n = (size_t)heads * len * D;
    float *q, *K, *V, *part, *stat, *out;
    CK(cudaMalloc(&q, heads * D * 4)); CK(cudaMalloc(&K, n * 4)); CK(cudaMalloc(&V, n * 4));
    CK(cudaMalloc(&part, heads * parts * D * 4)); CK(cudaMalloc(&stat, heads * parts * 8)); CK(cudaMalloc(&out, heads * D * 4));
    init<<<heads * D / 256, 256>>>(q, heads * D, 1e-3f);
    init<<<n / 256, 256>>>(K, n, 1e-3f);
    init<<<n / 256, 256>>>(V, n, 2e-3f);
    for (int t = 0; t < tokens; t++) {
        attend<<<dim3(heads, parts), 256>>>(q, K, V, part, stat, len, parts);
        combine<<<heads, D>>>(part, stat, out, parts);
    }
    std::vector<float> h(heads * D);
    CK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (float x : h) ok = ok && fabsf(x) < 1.01f;
    return report(ok);
}
