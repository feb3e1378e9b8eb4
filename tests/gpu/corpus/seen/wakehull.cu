// Ship hull in potential flow: sources on the hull panels are adjusted until no water flows through the hull.
// Every round sums the flow of all panels at every control point; then the sources are corrected.
// usage: wakehull panels rounds
#include "common.h"

#define TILE 256

__global__ void panel_flow(const float4 *__restrict__ src, const float4 *__restrict__ normal, float *part,
                           int n, int perSlice)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? src[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    float4 nv = i < n ? normal[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    float flow = 0.0f;
    int from = blockIdx.y * perSlice, to = min(n, from + perSlice);
    for (int base = from; base < to; base += TILE) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < to ? src[j] : make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();
        #pragma unroll 8
        for (int k = 0; k < TILE; ++k) {
            float4 q = tile[k];
            float dx = me.x - q.x, dy = me.y - q.y, dz = me.z - q.z;
            float r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
            float inv = rsqrtf(r2);
            flow += q.w * (dx * nv.x + dy * nv.y + dz * nv.z) * inv * inv * inv;
        }
        __syncthreads();
    }
    if (i < n) part[(size_t)blockIdx.y * n + i] = flow;
}

__global__ void correct_sources(float4 *src, const float4 *normal, const float *part, float *through, int n,
                                int slices, float speed, float relax)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float flow = 0.0f;
    for (int s = 0; s < slices; ++s) flow += part[(size_t)s * n + i];
    flow = flow / (float)n + speed * normal[i].x;
    through[i] = flow;
    src[i].w -= relax * flow;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8192;
    int rounds = argc > 2 ? atoi(argv[2]) : 2000;
    // a hull of revolution, 8 long, cut at the water line
    std::vector<float4> src(n), nrm(n);
    unsigned s = 31;
    for (int i = 0; i < n; ++i) {
        float u = 2.0f * frand(s) - 1.0f, a = 3.14159265f * frand(s);
        float r = 0.6f * (1.0f - u * u) + 0.02f, slope = -1.2f * u / 4.0f;
        float len = sqrtf(1.0f + slope * slope);
        src[i] = make_float4(4.0f * u, r * cosf(a), -r * sinf(a), 0.0f);
        nrm[i] = make_float4(-slope / len, cosf(a) / len, -sinf(a) / len, 0.0f);
    }
#ifdef GOOD
    const int slices = 16;
#else
    const int slices = 1;
#endif
    int perSlice = ((n + slices - 1) / slices + TILE - 1) / TILE * TILE;
    float4 *ds, *dn; float *dp, *dt;
    CK(cudaMalloc(&ds, n * sizeof(float4)));
    CK(cudaMalloc(&dn, n * sizeof(float4)));
    CK(cudaMalloc(&dp, (size_t)n * slices * sizeof(float)));
    CK(cudaMalloc(&dt, n * sizeof(float)));
    CK(cudaMemcpy(ds, src.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dn, nrm.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    dim3 grid((n + TILE - 1) / TILE, slices);
    for (int k = 0; k < rounds; ++k) {
        panel_flow<<<grid, TILE>>>(ds, dn, dp, n, perSlice);
        if (k + 1 == rounds)                             // sources of the last round, for the check
            CK(cudaMemcpy(src.data(), ds, n * sizeof(float4), cudaMemcpyDeviceToHost));
        correct_sources<<<(n + 127) / 128, 128>>>(ds, dn, dp, dt, n, slices, 1.0f, 0.002f);
    }
    CK(cudaGetLastError());
    std::vector<float> through(n);
    CK(cudaMemcpy(through.data(), dt, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 8; ++t) {
        int i = (int)((long long)t * (n - 1) / 7);
        double flow = 0, size = 0;
        for (int j = 0; j < n; ++j) {
            double dx = src[i].x - src[j].x, dy = src[i].y - src[j].y, dz = src[i].z - src[j].z;
            double r2 = dx * dx + dy * dy + dz * dz + 1e-3, inv = 1.0 / sqrt(r2);
            double f = src[j].w * (dx * nrm[i].x + dy * nrm[i].y + dz * nrm[i].z) * inv * inv * inv;
            flow += f; size += fabs(f);
        }
        ok = ok && fabs(through[i] - (flow / n + nrm[i].x)) <= 1e-4 * (size / n + 1.0);
    }
    printf("flow through panel 0: %g\n", through[0]);
    CK(cudaFree(ds)); CK(cudaFree(dn)); CK(cudaFree(dp)); CK(cudaFree(dt));
    return report(ok);
}
