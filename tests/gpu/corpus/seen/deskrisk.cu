// Scenario P&L by trading desk: 20 desks with a million positions each, a
// second-order Greeks approximation, one scenario (spot and volatility shock) per
// launch.
#include "common.h"

constexpr int DESKS = 20, POS = 1 << 20, BLOCK = 256;
#ifdef GOOD
constexpr int SPLIT = 64;
#else
constexpr int SPLIT = 1;
#endif

__host__ __device__ inline float4 position(unsigned i)      // delta, gamma, vega, beta
{
    unsigned x = i * 0x9E3779B1u; x ^= x >> 15; x *= 0x85EBCA77u; x ^= x >> 13; x *= 0xC2B2AE3Du; x ^= x >> 16;
    return make_float4((x & 255) * 0.004f, ((x >> 8) & 255) * 0.0002f, ((x >> 16) & 255) * 0.01f, 0.5f + (x >> 24) * 0.004f);
}

__global__ void load_book(float4 *book)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    book[i] = position(i);
}

__host__ __device__ inline float pnl(float4 g, float ds, float dv)
{
    float s = g.w * ds;
    return g.x * s + 0.5f * g.y * s * s + g.z * dv;
}

__global__ void __launch_bounds__(BLOCK) desk_pnl(const float4 *book, float ds, float dv, double *out)
{
    __shared__ float part[BLOCK / 32];
    const float4 *b = book + (size_t)blockIdx.y * POS;
    float sum = 0;
#pragma unroll 4
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < POS; i += SPLIT * BLOCK)
        sum += pnl(b[i], ds, dv);
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        double s = 0;
        for (int w = 0; w < BLOCK / 32; w++) s += part[w];
        atomicAdd(&out[blockIdx.y], s);
    }
}

int main(int argc, char **argv)
{
    int scen = argc > 1 ? atoi(argv[1]) : 350;
    float4 *book;
    double *out;
    CK(cudaMalloc(&book, (size_t)DESKS * POS * sizeof(float4)));
    CK(cudaMalloc(&out, (size_t)scen * DESKS * sizeof(double)));
    CK(cudaMemset(out, 0, (size_t)scen * DESKS * sizeof(double)));
    load_book<<<DESKS * POS / 256, 256>>>(book);
    CK(cudaGetLastError());
    for (int s = 0; s < scen; s++)
        desk_pnl<<<dim3(SPLIT, DESKS), BLOCK>>>(book, -5.0f + 0.01f * s, 0.02f, out + (size_t)s * DESKS);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<double> h((size_t)scen * DESKS);
    CK(cudaMemcpy(h.data(), out, h.size() * sizeof(double), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int q = 0; q < 4; q++) {
        int s = (q * 91) % scen, d = (q * 7 + 2) % DESKS;
        double want = 0, size = 0;
        for (int i = 0; i < POS; i++) {
            double v = pnl(position((unsigned)d * POS + i), -5.0f + 0.01f * s, 0.02f);
            want += v;
            size += fabs(v);
        }
        ok = ok && fabs(h[(size_t)s * DESKS + d] - want) < 1e-3 * size;
    }
    CK(cudaFree(book)); CK(cudaFree(out));
    return report(ok);
}
