// Ocean model output: blend of two tracer fields with a mask weight, plus a source field.
#include "common.h"

static const int N = 64 * 1024 * 1024;
#ifdef GOOD
static const int PER = 2;          // float4 per thread
#else
static const int PER = 1;
#endif

static __host__ __device__ float field(int f, int i)
{
    unsigned h = (unsigned)(i + f * 104729) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 0xffffu) * (1.0f / 65536.0f);
}
__global__ void set_field(float *x, int f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) x[i] = field(f, i);
}
__device__ __forceinline__ float mix(float a, float b, float w, float s) { return w * (a - b) + b + 0.01f * s; }

__global__ void __launch_bounds__(256) blend(const float4 *__restrict__ a, const float4 *__restrict__ b,
                                             const float4 *__restrict__ w, const float4 *__restrict__ s, float4 *__restrict__ out)
{
    int q = blockIdx.x * (256 * PER) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < PER; k++, q += 256) {
        float4 x = a[q], y = b[q], m = w[q], c = s[q], r;
        r.x = mix(x.x, y.x, m.x, c.x);
        r.y = mix(x.y, y.y, m.y, c.y);
        r.z = mix(x.z, y.z, m.z, c.z);
        r.w = mix(x.w, y.w, m.w, c.w);
        out[q] = r;
    }
}

int main(int argc, char **argv)
{
    int outputs = argc > 1 ? atoi(argv[1]) : 150;
    float *f[5];
    for (int k = 0; k < 5; k++) {
        CK(cudaMalloc(&f[k], (size_t)N * sizeof(float)));
        if (k < 4) set_field<<<N / 256, 256>>>(f[k], k);
    }
    CK(cudaGetLastError());
    for (int t = 0; t < outputs; t++)
        blend<<<N / 4 / (256 * PER), 256>>>((const float4 *)f[0], (const float4 *)f[1], (const float4 *)f[2],
                                            (const float4 *)f[3], (float4 *)f[4]);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 5; i < N; i += N / 27) {
        double a = field(0, i), b = field(1, i), w = field(2, i), s = field(3, i);
        float v;
        CK(cudaMemcpy(&v, f[4] + i, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, w * (a - b) + b + 0.01 * s, 1e-5);
    }
    for (int k = 0; k < 5; k++) cudaFree(f[k]);
    return report(ok);
}
