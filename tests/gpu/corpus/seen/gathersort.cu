// Seismic survey: traces of the shots are sorted into gathers of common midpoint, offset and receiver, one order after
// another; each trace is scaled on its way.
// usage: gathersort traces orders
#include "common.h"

#define SAMPLES 4096
#define ROW (SAMPLES / 4)    // float4 of a trace
#ifdef GOOD
#define THREADS 512
#else
#define THREADS 256
#endif
#define EACH (ROW / THREADS)

__global__ void __launch_bounds__(THREADS) sort_traces(const float4 *__restrict__ in, float4 *__restrict__ out,
                                                       const int2 *__restrict__ order)
{
    const int2 o = order[blockIdx.x];                    // which trace, and its gain
    const float gain = __int_as_float(o.y);
    const float4 *src = in + (size_t)o.x * ROW + threadIdx.x;
    float4 *dst = out + (size_t)blockIdx.x * ROW + threadIdx.x;
    float4 v[EACH];
    #pragma unroll
    for (int k = 0; k < EACH; ++k) v[k] = src[k * THREADS];
    #pragma unroll
    for (int k = 0; k < EACH; ++k)
        dst[k * THREADS] = make_float4(gain * v[k].x, gain * v[k].y, gain * v[k].z, gain * v[k].w);
}

__global__ void shoot(float *trace)
{
    for (int s = threadIdx.x; s < SAMPLES; s += blockDim.x) {
        unsigned h = (blockIdx.x * 4096u + s) * 2654435761u;
        h = (h ^ (h >> 15)) * 2246822519u;
        trace[(size_t)blockIdx.x * SAMPLES + s] = (float)(h >> 8) * (1.0f / 16777216.0f) + 0.25f;
    }
}

int main(int argc, char **argv)
{
    const int traces = argc > 1 ? atoi(argv[1]) : 32768, orders = argc > 2 ? atoi(argv[2]) : 2400;
    const int kinds = 3;
    const size_t n = (size_t)traces * SAMPLES;
    std::vector<int2> order((size_t)kinds * traces);
    unsigned s = 314;
    for (int k = 0; k < kinds; ++k) {
        int2 *o = order.data() + (size_t)k * traces;
        for (int i = 0; i < traces; ++i) {
            float g = k == 0 ? 0.8f : k == 1 ? 1.25f : 1.0f;
            o[i].x = i;
            memcpy(&o[i].y, &g, sizeof g);
        }
        for (int i = traces - 1; i > 0; --i) std::swap(o[i].x, o[lcg(s) / 256u % (unsigned)(i + 1)].x);
    }
    float *d[2]; int2 *dorder;
    CK(cudaMalloc(&d[0], n * sizeof(float)));
    CK(cudaMalloc(&d[1], n * sizeof(float)));
    CK(cudaMalloc(&dorder, order.size() * sizeof(int2)));
    CK(cudaMemcpy(dorder, order.data(), order.size() * sizeof(int2), cudaMemcpyHostToDevice));
    shoot<<<traces, 256>>>(d[0]);
    std::vector<float> after(SAMPLES);
    // two samples of each trace would do to recognise it; the first 64 are kept
    std::vector<float> heads((size_t)traces * 64);
    CK(cudaMemcpy2D(heads.data(), 64 * sizeof(float), d[0], SAMPLES * sizeof(float), 64 * sizeof(float), traces,
                    cudaMemcpyDeviceToHost));
    for (int k = 0; k < orders; ++k)
        sort_traces<<<traces, THREADS>>>((const float4 *)d[k % 2], (float4 *)d[(k + 1) % 2], dorder + (size_t)(k % kinds) * traces);
    CK(cudaGetLastError());

    bool ok = true;
    for (int q = 0; q < 40; ++q) {
        int at = (int)((long long)q * (traces - 1) / 39), from = at;
        double gain = 1.0;
        for (int k = orders - 1; k >= 0; --k) {          // back through all orders
            int2 o = order[(size_t)(k % kinds) * traces + from];
            float g;
            memcpy(&g, &o.y, sizeof g);
            gain *= g;
            from = o.x;
        }
        CK(cudaMemcpy(after.data(), d[orders % 2] + (size_t)at * SAMPLES, SAMPLES * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < 64; ++i) ok = ok && close_to(after[i], gain * heads[(size_t)from * 64 + i], 2e-3);
        for (float v : after) ok = ok && v > 0.1f && v < 2.0f;
    }
    printf("first sample of the last trace: %.5f\n", after[0]);
    CK(cudaFree(d[0])); CK(cudaFree(d[1])); CK(cudaFree(dorder));
    return report(ok);
}
