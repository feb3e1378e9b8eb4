// Margin of a derivatives book: positions are on the GPU, the quotes of the feed handler
// lie in mapped host memory; one pass values all positions of all accounts.
#include "common.h"

#define PER 256          // positions per quote

__global__ void makePositions(float2 *p, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    p[i] = make_float2((int)(h & 255) - 128.f, 0.5f + (h >> 8 & 255) * (1.0f / 256.0f));
}

// a warp values the positions of one instrument
__global__ void margin(const float2 *__restrict__ pos, const float4 *__restrict__ quote,
                       float *__restrict__ need, unsigned instruments)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned k = t / 32, lane = t % 32;
    if (k >= instruments) return;
    float4 q = quote[k];                                // bid, ask, volatility, hair-cut
    float risk = 0.f;
#pragma unroll
    for (unsigned j = 0; j < PER / 32; j++) {
        float2 p = pos[(size_t)k * PER + j * 32 + lane];
        float price = p.x >= 0.f ? q.x : q.y;
        risk += fabsf(p.x * price * p.y) * (q.w + 2.3f * q.z);
    }
    for (int o = 16; o; o >>= 1) risk += __shfl_xor_sync(0xffffffffu, risk, o);
    if (lane == 0) need[k] = risk;
}

int main(int argc, char **argv)
{
    int ticks = argc > 1 ? atoi(argv[1]) : 100;
    const unsigned instruments = 1u << 18, n = instruments * PER;
    float2 *pos;
    float4 *host, *mapped;
    float *need;
    CK(cudaMalloc(&pos, (size_t)n * sizeof(float2)));
    CK(cudaMalloc(&need, instruments * 4));
    CK(cudaHostAlloc(&host, instruments * sizeof(float4), cudaHostAllocMapped));
    unsigned seed = 2;
    for (unsigned k = 0; k < instruments; k++) {
        float m = 10 + 90 * frand(seed);
        host[k] = make_float4(m, m * 1.01f, 0.01f + 0.1f * frand(seed), 0.05f);
    }
    CK(cudaHostGetDevicePointer(&mapped, host, 0));
    float4 *quote = mapped;
#ifdef GOOD
    CK(cudaMalloc(&quote, instruments * sizeof(float4)));
    CK(cudaMemcpy(quote, host, instruments * sizeof(float4), cudaMemcpyHostToDevice));
#endif
    makePositions<<<n / 256, 256>>>(pos, n);
    for (int t = 0; t < ticks; t++) margin<<<instruments / 8, 256>>>(pos, quote, need, instruments);
    CK(cudaGetLastError());
    std::vector<float> got(instruments);
    CK(cudaMemcpy(got.data(), need, instruments * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned k = 9; k < instruments; k += 20021) {
        float2 p[PER];
        CK(cudaMemcpy(p, pos + (size_t)k * PER, sizeof p, cudaMemcpyDeviceToHost));
        double s = 0;
        for (auto &x : p) s += fabs((double)x.x * (x.x >= 0 ? host[k].x : host[k].y) * x.y) * (host[k].w + 2.3 * host[k].z);
        ok = ok && close_to(got[k], s, 1e-3);
    }
    if (quote != mapped) CK(cudaFree(quote));
    CK(cudaFree(pos)); CK(cudaFree(need)); CK(cudaFreeHost(host));
    return report(ok);
}
