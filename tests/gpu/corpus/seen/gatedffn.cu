// Gated feed-forward: out = silu(gate) * up on the activations of a long sequence.
#include "common.h"

__host__ __device__ static inline float act(unsigned i, unsigned salt)
{
    unsigned h = i * 2654435761u + salt;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return ((int)(h & 2047) - 1024) * (1.0f / 256.0f);
}
__global__ void fillAct(float4 *p, unsigned n4, unsigned salt)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) p[i] = make_float4(act(4 * i, salt), act(4 * i + 1, salt), act(4 * i + 2, salt), act(4 * i + 3, salt));
}

__device__ __forceinline__ float silu(float g)
{
#ifdef GOOD
    return __fdividef(g, 1.f + __expf(-g));
#else
    return g / (1.f + expf(-g));
#endif
}

__global__ void gated(const float4 *__restrict__ gate, const float4 *__restrict__ up, float4 *__restrict__ out, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 g = gate[i], u = up[i];
    out[i] = make_float4(silu(g.x) * u.x, silu(g.y) * u.y, silu(g.z) * u.z, silu(g.w) * u.w);
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 100;
    const unsigned n4 = 1u << 25;                  // 512 MiB each
    float4 *g, *u, *o;
    CK(cudaMalloc(&g, (size_t)n4 * 16));
    CK(cudaMalloc(&u, (size_t)n4 * 16));
    CK(cudaMalloc(&o, (size_t)n4 * 16));
    fillAct<<<n4 / 256, 256>>>(g, n4, 11u);
    fillAct<<<n4 / 256, 256>>>(u, n4, 977u);
    for (int l = 0; l < layers; l++) gated<<<n4 / 256, 256>>>(g, u, o, n4);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    std::vector<float> got(1024);
    const unsigned n = 4u * n4;
    for (unsigned at = 0; at < n; at += n / 8) {
        CK(cudaMemcpy(got.data(), (float *)o + at, got.size() * 4, cudaMemcpyDeviceToHost));
        for (unsigned k = 0; k < got.size(); k++) {
            double x = act(at + k, 11u);
            ok = ok && close_to(got[k], x / (1 + exp(-x)) * act(at + k, 977u), 1e-4);
        }
    }
    CK(cudaFree(g)); CK(cudaFree(u)); CK(cudaFree(o));
    return report(ok);
}
