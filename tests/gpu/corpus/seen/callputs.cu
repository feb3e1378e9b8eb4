// Payoffs of a large book of calls and puts, mixed line by line, and their discounted value.
#include "common.h"

static const int N = 64 * 1024 * 1024;

static __host__ __device__ float draw(int i, unsigned salt)
{
    unsigned h = ((unsigned)i ^ salt) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 0xffffu) * (1.0f / 65536.0f);
}
static __host__ __device__ float spot_of(int i) { return 80.0f + 40.0f * draw(i, 0x1111u); }
// the sign of the strike tells calls from puts in this book
static __host__ __device__ float strike_of(int i)
{
    float k = 80.0f + 40.0f * draw(i, 0x2222u);
    return draw(i, 0x3333u) < 0.5f ? -k : k;
}
__global__ void write_book(float *spot, float *strike)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) { spot[i] = spot_of(i); strike[i] = strike_of(i); }
}

__device__ __forceinline__ float payoff(float s, float k, float df)
{
#ifdef GOOD
    return df * fmaxf(copysignf(s, k) - k, 0.0f);        // branch-free: s - k or -s + |k|
#else
    float p;
    if (k > 0.0f)
        p = s - k;
    else
        p = -k - s;
    if (p < 0.0f) p = 0.0f;
    return df * p;
#endif
}

__global__ void __launch_bounds__(256) payoffs(const float4 *__restrict__ spot, const float4 *__restrict__ strike,
                                               float4 *__restrict__ value, float df)
{
    int q = blockIdx.x * 256 + threadIdx.x;
    float4 s = spot[q], k = strike[q], v;
    v.x = payoff(s.x, k.x, df);
    v.y = payoff(s.y, k.y, df);
    v.z = payoff(s.z, k.z, df);
    v.w = payoff(s.w, k.w, df);
    value[q] = v;
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 220;
    float *spot, *strike, *value;
    CK(cudaMalloc(&spot, (size_t)N * sizeof(float)));
    CK(cudaMalloc(&strike, (size_t)N * sizeof(float)));
    CK(cudaMalloc(&value, (size_t)N * sizeof(float)));
    write_book<<<N / 256, 256>>>(spot, strike);
    CK(cudaGetLastError());
    float df = 1.0f;
    for (int d = 0; d < days; d++) {
        df = 1.0f - 0.0001f * (float)(days - 1 - d);
        payoffs<<<N / 4 / 256, 256>>>((const float4 *)spot, (const float4 *)strike, (float4 *)value, df);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 3; i < N; i += N / 33) {
        double k = strike_of(i), s = spot_of(i), p = k > 0 ? s - k : -k - s;
        float v;
        CK(cudaMemcpy(&v, value + i, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, df * std::max(p, 0.0), 1e-4);
    }
    cudaFree(spot); cudaFree(strike); cudaFree(value);
    return report(ok);
}
