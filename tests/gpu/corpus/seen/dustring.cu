// Ring of boulders around a planet: all attract each other and circle the planet. Every thread has two boulders and
// goes through all others, tile by tile.
// usage: dustring boulders steps
#include "common.h"

#ifdef GOOD
#define THREADS 128
#define SLICES 16            // parts of the other boulders, each to its own block
#else
#define THREADS 1024
#define SLICES 1
#endif
#define SOFT 1e-4f

__device__ inline void pull(float4 me, float4 q, float3 &a)
{
    float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
    float inv = rsqrtf(dx * dx + dy * dy + dz * dz + SOFT);
    float f = q.w * inv * inv * inv;
    a.x += f * dx; a.y += f * dy; a.z += f * dz;
}

__global__ void __launch_bounds__(THREADS) attract(const float4 *__restrict__ pos, float *__restrict__ acc, int n, int perSlice)
{
    __shared__ float4 tile[THREADS];
    const int i = blockIdx.x * 2 * THREADS + threadIdx.x, k = i + THREADS;
    const float4 none = make_float4(0.f, 0.f, 0.f, 0.f);
    const float4 one = i < n ? pos[i] : none, two = k < n ? pos[k] : none;
    float3 a = make_float3(0.f, 0.f, 0.f), b = a;
    const int from = blockIdx.y * perSlice, to = min(n, from + perSlice);
    for (int base = from; base < to; base += THREADS) {
        tile[threadIdx.x] = base + threadIdx.x < to ? pos[base + threadIdx.x] : none;
        __syncthreads();
        #pragma unroll 16
        for (int j = 0; j < THREADS; ++j) { float4 q = tile[j]; pull(one, q, a); pull(two, q, b); }
        __syncthreads();
    }
    if (i < n) { atomicAdd(acc + i, a.x); atomicAdd(acc + n + i, a.y); atomicAdd(acc + 2 * n + i, a.z); }
    if (k < n) { atomicAdd(acc + k, b.x); atomicAdd(acc + n + k, b.y); atomicAdd(acc + 2 * n + k, b.z); }
}

__global__ void circle(float4 *pos, float4 *vel, float *acc, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], v = vel[i];
    float inv = rsqrtf(p.x * p.x + p.y * p.y + p.z * p.z), f = -inv * inv * inv;    // the planet
    v.x += dt * (acc[i] + f * p.x); v.y += dt * (acc[n + i] + f * p.y); v.z += dt * (acc[2 * n + i] + f * p.z);
    p.x += dt * v.x; p.y += dt * v.y; p.z += dt * v.z;
    pos[i] = p;
    vel[i] = v;
    acc[i] = acc[n + i] = acc[2 * n + i] = 0.0f;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 148 * 2048, steps = argc > 2 ? atoi(argv[2]) : 12;
    std::vector<float4> pos(n), vel(n);
    std::vector<float> acc(3 * (size_t)n);
    unsigned s = 55;
    for (int i = 0; i < n; ++i) {
        float r = 1.0f + 0.3f * frand(s), a = 6.2831853f * frand(s), v = 1.0f / sqrtf(r);
        pos[i] = make_float4(r * cosf(a), r * sinf(a), 0.01f * (frand(s) - 0.5f), 0.02f / (float)n * (0.5f + frand(s)));
        vel[i] = make_float4(-v * sinf(a), v * cosf(a), 0.0f, 0.0f);
    }
    float4 *dp, *dv; float *da;
    CK(cudaMalloc(&dp, n * sizeof(float4)));
    CK(cudaMalloc(&dv, n * sizeof(float4)));
    CK(cudaMalloc(&da, acc.size() * sizeof(float)));
    CK(cudaMemcpy(dp, pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dv, vel.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemset(da, 0, acc.size() * sizeof(float)));
    const int perSlice = ((n + SLICES - 1) / SLICES + THREADS - 1) / THREADS * THREADS;
    const dim3 grid((n + 2 * THREADS - 1) / (2 * THREADS), SLICES);
    for (int k = 0; k < steps; ++k) {
        attract<<<grid, THREADS>>>(dp, da, n, perSlice);
        if (k + 1 == steps) break;                       // the last pulls are looked at below
        circle<<<(n + 255) / 256, 256>>>(dp, dv, da, n, 1e-3f);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(pos.data(), dp, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(acc.data(), da, acc.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 12; ++q) {
        int i = (int)((long long)q * (n - 1) / 11);
        double x = 0, y = 0, z = 0, size = 0;
        for (int j = 0; j < n; ++j) {
            double dx = pos[j].x - pos[i].x, dy = pos[j].y - pos[i].y, dz = pos[j].z - pos[i].z;
            double inv = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + SOFT), f = pos[j].w * inv * inv * inv;
            x += f * dx; y += f * dy; z += f * dz;
            size += pos[j].w * inv * inv;
        }
        double r = sqrt(pos[i].x * pos[i].x + pos[i].y * pos[i].y);
        ok = ok && fabs(acc[i] - x) + fabs(acc[n + (size_t)i] - y) + fabs(acc[2 * (size_t)n + i] - z) <= 1e-3 * size && r > 0.95 && r < 1.35;
    }
    printf("boulder 0 at %.4f %.4f, pulled by %.3g %.3g\n", pos[0].x, pos[0].y, acc[0], acc[n]);
    CK(cudaFree(dp)); CK(cudaFree(dv)); CK(cudaFree(da));
    return report(ok);
}
