// Porous crystals: distance from each probe point of the periodic cell to the nearest atom's surface.
//   voidprobe [frames]
#include "common.h"

const int TILE = 256;

__device__ __forceinline__ float shortest(float d, float edge, float inv)
{
#ifdef GOOD
    const float magic = 12582912.0f;      // 1.5 * 2^23: adding it rounds to a whole number
    float whole = __fadd_rn(__fmaf_rn(d, inv, magic), -magic);
    return d - edge * whole;
#else
    d = fmodf(d, edge);
    if (d > 0.5f * edge) d -= edge;
    if (d < -0.5f * edge) d += edge;
    return d;
#endif
}

__global__ void __launch_bounds__(TILE) clearance(const float3 *__restrict__ probe, int probes, const float4 *__restrict__ atom, int atoms,
                                                  float *__restrict__ gap, float3 edge, float3 inv)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float3 p = probe[min(i, probes - 1)];
    float best = 1e30f;
    for (int base = 0; base < atoms; base += TILE) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < atoms ? atom[j] : make_float4(0, 0, 0, -1e6f);
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < TILE; k++) {
            float4 a = tile[k];
            float x = shortest(p.x - a.x, edge.x, inv.x), y = shortest(p.y - a.y, edge.y, inv.y), z = shortest(p.z - a.z, edge.z, inv.z);
            best = fminf(best, x * x + y * y + z * z - a.w);
        }
        __syncthreads();
    }
    if (i < probes) gap[i] = best;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 600;
    const int probes = 270011, atoms = 2950;
    const float ex = 38.2f, ey = 41.7f, ez = 36.1f;
    std::vector<float3> p(probes);
    std::vector<float4> a(atoms);
    unsigned seed = 404;
    for (auto &v : p) { v.x = 3 * ex * frand(seed); v.y = 3 * ey * frand(seed); v.z = 3 * ez * frand(seed); }
    for (auto &v : a) { v.x = ex * frand(seed); v.y = ey * frand(seed); v.z = ez * frand(seed); v.w = 0.6f + 0.8f * frand(seed); }
    float3 *dp;
    float4 *da;
    float *gap;
    CK(cudaMalloc(&dp, probes * sizeof(float3)));
    CK(cudaMalloc(&da, atoms * sizeof(float4)));
    CK(cudaMalloc(&gap, probes * sizeof(float)));
    CK(cudaMemcpy(dp, p.data(), probes * sizeof(float3), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(da, a.data(), atoms * sizeof(float4), cudaMemcpyHostToDevice));
    for (int f = 0; f < frames; f++)
        clearance<<<(probes + TILE - 1) / TILE, TILE>>>(dp, probes, da, atoms, gap, make_float3(ex, ey, ez),
                                                        make_float3(1 / ex, 1 / ey, 1 / ez));
    CK(cudaGetLastError());
    std::vector<float> h(probes);
    CK(cudaMemcpy(h.data(), gap, probes * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < probes; i += 2503) {
        double best = 1e30;
        for (const auto &v : a) {
            double x = remainder((double)p[i].x - v.x, (double)ex), y = remainder((double)p[i].y - v.y, (double)ey),
                   z = remainder((double)p[i].z - v.z, (double)ez);
            best = std::min(best, x * x + y * y + z * z - v.w);
        }
        ok = ok && fabs(h[i] - best) < 1e-3;
    }
    CK(cudaFree(dp)); CK(cudaFree(da)); CK(cudaFree(gap));
    return report(ok);
}
