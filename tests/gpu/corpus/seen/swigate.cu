// Gated unit of a transformer MLP: out = silu(gate) * up on whole activation
// matrices, with a running scale for the next layer's quantisation.
#include "common.h"

constexpr int TOKENS = 8192, HIDDEN = 8192, BLOCK = 256;
constexpr int N4 = TOKENS * (HIDDEN / 4);

__host__ __device__ inline float act(unsigned i)
{
    i ^= i >> 16; i *= 0x7feb352du; i ^= i >> 15; i *= 0x846ca68bu; i ^= i >> 16;
    return (i >> 8) * (8.0f / 16777216.0f) - 4.0f;
}

__global__ void make_acts(float4 *g, float4 *u)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, j = 4 * i, k = j ^ 0x80000000u;
    g[i] = make_float4(act(j), act(j + 1), act(j + 2), act(j + 3));
    u[i] = make_float4(act(k), act(k + 1), act(k + 2), act(k + 3));
}

__device__ inline float silu(float x)
{
#ifdef GOOD
    return __fdividef(x, 1.0f + __expf(-x));
#else
    return x / (1.0f + expf(-x));
#endif
}

__global__ void __launch_bounds__(BLOCK) gate(const float4 *g, const float4 *u, float4 *out, float scale)
{
    int i = blockIdx.x * (2 * BLOCK) + threadIdx.x;
    float4 g0 = g[i], g1 = g[i + BLOCK], u0 = u[i], u1 = u[i + BLOCK];
    out[i] = make_float4(scale * silu(g0.x) * u0.x, scale * silu(g0.y) * u0.y, scale * silu(g0.z) * u0.z, scale * silu(g0.w) * u0.w);
    out[i + BLOCK] =
        make_float4(scale * silu(g1.x) * u1.x, scale * silu(g1.y) * u1.y, scale * silu(g1.z) * u1.z, scale * silu(g1.w) * u1.w);
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 180;
    float4 *g, *u, *out;
    CK(cudaMalloc(&g, (size_t)N4 * sizeof(float4)));
    CK(cudaMalloc(&u, (size_t)N4 * sizeof(float4)));
    CK(cudaMalloc(&out, (size_t)N4 * sizeof(float4)));
    make_acts<<<N4 / 256, 256>>>(g, u);
    CK(cudaGetLastError());
    float scale = 1.0f;
    for (int l = 0; l < layers; l++) {
        scale = 1.0f + 0.01f * (l % 10);
        gate<<<N4 / (2 * BLOCK), BLOCK>>>(g, u, out, scale);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 40; q++) {
        unsigned i = q * 1677701u + 13u;
        double x = act(i), want = scale * x / (1.0 + exp(-x)) * act(i ^ 0x80000000u);
        float got;
        CK(cudaMemcpy(&got, (float *)out + i, sizeof got, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, want, 1e-4);
    }
    CK(cudaFree(g)); CK(cudaFree(u)); CK(cudaFree(out));
    return report(ok);
}
