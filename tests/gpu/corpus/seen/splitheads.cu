// Layout change in front of attention: [batch, time, head, dim] to
// [batch, head, time, dim], with the query scaled on the way.
#include "common.h"

#ifndef NB
#define NB 64
#endif
#define NT 2048
#define NH 12
#define ND 64

static __host__ __device__ inline float activ(unsigned k)
{
    unsigned u = k * 2654435761u;
    u ^= u >> 15; u *= 2246822519u;
    return (u >> 8) * (1.0f / 16777216.0f) - 0.5f;
}

__global__ void fill(float *q, unsigned n)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) q[k] = activ(k);
}

#ifdef GOOD
__global__ void split(const float *__restrict__ in, float *__restrict__ out,
                      long long total, long long, long long, long long, float scale)
{
    const unsigned T = NT, H = NH, D = ND;
    unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
#else
__global__ void split(const float *__restrict__ in, float *__restrict__ out,
                      long long total, long long T, long long H, long long D, float scale)
{
    long long idx = blockIdx.x * (long long)blockDim.x + threadIdx.x;
#endif
    if (idx >= total) return;
    auto d = idx % D;
    auto h = (idx / D) % H;
    auto t = (idx / (D * H)) % T;
    auto b = idx / (D * H * T);
    out[((b * H + h) * T + t) * D + d] = scale * in[idx];
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 200;
    const unsigned n = (unsigned)NB * NT * NH * ND;
    const float scale = 0.125f;
    float *in, *out;
    CK(cudaMalloc(&in, (size_t)n * sizeof(float)));
    CK(cudaMalloc(&out, (size_t)n * sizeof(float)));
    fill<<<(n + 255) / 256, 256>>>(in, n);
    CK(cudaGetLastError());
    for (int l = 0; l < layers; l++)
        split<<<(n + 255) / 256, 256>>>(in, out, n, NT, NH, ND, scale);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned seed = 9;
    std::vector<float> row(ND);
    for (int t = 0; t < 200; t++) {
        unsigned b = lcg(seed) / 65536u % NB, h = lcg(seed) / 65536u % NH, s = lcg(seed) / 65536u % NT;
        CK(cudaMemcpy(row.data(), out + ((size_t)(b * NH + h) * NT + s) * ND, ND * sizeof(float), cudaMemcpyDeviceToHost));
        for (unsigned d = 0; d < ND; d++)
            ok = ok && row[d] == scale * activ(((b * NT + s) * NH + h) * ND + d);
    }
    CK(cudaFree(in)); CK(cudaFree(out));
    return report(ok);
}
