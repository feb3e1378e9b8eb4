// Dual-polarisation rain radar: channel powers and their correlation over all gates of a sweep.
//   radarpol [sweeps]
#include "common.h"

enum Moment { POWER_H, POWER_V, CROSS_RE, CROSS_IM, MOMENTS };

template <int M> __device__ __forceinline__ float term(float2 h, float2 v)
{
    if constexpr (M == POWER_H) return h.x * h.x + h.y * h.y;
    else if constexpr (M == POWER_V) return v.x * v.x + v.y * v.y;
    else if constexpr (M == CROSS_RE) return h.x * v.x + h.y * v.y;
    else return h.y * v.x - h.x * v.y;
}

__device__ __forceinline__ void finish(float x, double *to)
{
    __shared__ float part[8];
    for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0;
        for (int w = 0; w < 8; w++) s += part[w];
        atomicAdd(to, (double)s);
    }
    __syncthreads();
}

template <int M> __global__ void __launch_bounds__(256) moment(const float4 *__restrict__ h, const float4 *__restrict__ v, int pairs, double *sums)
{
    float s = 0;
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < pairs; i += gridDim.x * 256) {
        float4 a {}, b {};
        if (M != POWER_V) a = h[i];
        if (M != POWER_H) b = v[i];
        s += term<M>(make_float2(a.x, a.y), make_float2(b.x, b.y)) + term<M>(make_float2(a.z, a.w), make_float2(b.z, b.w));
    }
    finish(s, sums + M);
}

__global__ void __launch_bounds__(256) moments(const float4 *__restrict__ h, const float4 *__restrict__ v, int pairs, double *sums)
{
    float s[MOMENTS] = {};
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < pairs; i += gridDim.x * 256) {
        float4 a = h[i], b = v[i];
        float2 h0 { a.x, a.y }, h1 { a.z, a.w }, v0 { b.x, b.y }, v1 { b.z, b.w };
        s[0] += term<POWER_H>(h0, v0) + term<POWER_H>(h1, v1);
        s[1] += term<POWER_V>(h0, v0) + term<POWER_V>(h1, v1);
        s[2] += term<CROSS_RE>(h0, v0) + term<CROSS_RE>(h1, v1);
        s[3] += term<CROSS_IM>(h0, v0) + term<CROSS_IM>(h1, v1);
    }
    for (int m = 0; m < MOMENTS; m++) finish(s[m], sums + m);
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 1600;
    const int pairs = 30000007;
    std::vector<float4> h(pairs), v(pairs);
    unsigned seed = 9;
    double want[MOMENTS] = {};
    for (int i = 0; i < pairs; i++) {
        float c = frand(seed), d = frand(seed);
        h[i] = { c, d - 0.5f, 0.3f + d, c };
        v[i] = { c + 0.1f * d, d, 0.3f, d - c };
        float2 p[2] = { { h[i].x, h[i].y }, { h[i].z, h[i].w } }, q[2] = { { v[i].x, v[i].y }, { v[i].z, v[i].w } };
        for (int k = 0; k < 2; k++) {
            want[0] += (double)p[k].x * p[k].x + (double)p[k].y * p[k].y;
            want[1] += (double)q[k].x * q[k].x + (double)q[k].y * q[k].y;
            want[2] += (double)p[k].x * q[k].x + (double)p[k].y * q[k].y;
            want[3] += (double)p[k].y * q[k].x - (double)p[k].x * q[k].y;
        }
    }
    float4 *dh, *dv;
    double *sums, got[MOMENTS];
    CK(cudaMalloc(&dh, (size_t)pairs * sizeof(float4)));
    CK(cudaMalloc(&dv, (size_t)pairs * sizeof(float4)));
    CK(cudaMalloc(&sums, sizeof got));
    CK(cudaMemcpy(dh, h.data(), (size_t)pairs * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dv, v.data(), (size_t)pairs * sizeof(float4), cudaMemcpyHostToDevice));
    const int blocks = 132 * 8;
    for (int s = 0; s < sweeps; s++) {
        CK(cudaMemsetAsync(sums, 0, sizeof got));
#ifdef GOOD
        moments<<<blocks, 256>>>(dh, dv, pairs, sums);
#else
        moment<POWER_H><<<blocks, 256>>>(dh, dv, pairs, sums);
        moment<POWER_V><<<blocks, 256>>>(dh, dv, pairs, sums);
        moment<CROSS_RE><<<blocks, 256>>>(dh, dv, pairs, sums);
        moment<CROSS_IM><<<blocks, 256>>>(dh, dv, pairs, sums);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int m = 0; m < MOMENTS; m++) ok = ok && close_to(got[m], want[m], 1e-3);
    printf("rho %.4f\n", sqrt(got[2] * got[2] + got[3] * got[3]) / sqrt(got[0] * got[1]));
    CK(cudaFree(dh)); CK(cudaFree(dv)); CK(cudaFree(sums));
    return report(ok);
}
