// Planetary ring: mutual gravity of all boulders by direct summation, then a kick and a
// drift about the planet.
#include "common.h"

#ifndef NBOD
#define NBOD 131072
#endif
#ifdef GOOD
#define BS 128
#else
#define BS 256
#endif

__global__ void __launch_bounds__(BS) gravity(const float4 *__restrict__ body, float3 *__restrict__ acc, int n, float eps2)
{
    __shared__ float4 tile[BS];
    int i = blockIdx.x * BS + threadIdx.x;
    float4 me = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int base = 0; base < n; base += BS) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int j = 0; j < BS; j++) {
            float4 p = tile[j];
            float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
            float ri = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
            float f = p.w * ri * ri * ri;
            ax += f * dx; ay += f * dy; az += f * dz;
        }
        __syncthreads();
    }
    acc[i] = make_float3(ax, ay, az);
}

__global__ void kick_drift(float4 *body, float3 *vel, const float3 *acc, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 b = body[i];
    float3 v = vel[i], a = acc[i];
    float ri = rsqrtf(b.x * b.x + b.y * b.y + b.z * b.z), g = -ri * ri * ri;
    v.x += dt * (a.x + g * b.x);
    v.y += dt * (a.y + g * b.y);
    v.z += dt * (a.z + g * b.z);
    b.x += dt * v.x; b.y += dt * v.y; b.z += dt * v.z;
    body[i] = b;
    vel[i] = v;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 6;
    const int n = NBOD;
    const float eps2 = 1e-6f, dt = 1e-3f;
    std::vector<float4> body(n);
    std::vector<float3> vel(n), acc(n);
    unsigned seed = 99;
    for (int i = 0; i < n; i++) {
        float r = 1.0f + 0.3f * frand(seed), a = 6.2831853f * frand(seed), v = 1.0f / sqrtf(r);
        body[i] = make_float4(r * cosf(a), r * sinf(a), 0.01f * (frand(seed) - 0.5f), 0.01f / n);
        vel[i] = make_float3(-v * sinf(a), v * cosf(a), 0.0f);
    }
    float4 *db;
    float3 *dv, *da;
    CK(cudaMalloc(&db, n * sizeof(float4)));
    CK(cudaMalloc(&dv, n * sizeof(float3)));
    CK(cudaMalloc(&da, n * sizeof(float3)));
    CK(cudaMemcpy(db, body.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dv, vel.data(), n * sizeof(float3), cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        gravity<<<n / BS, BS>>>(db, da, n, eps2);
        if (s + 1 < steps) kick_drift<<<(n + 255) / 256, 256>>>(db, dv, da, n, dt);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(body.data(), db, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(acc.data(), da, n * sizeof(float3), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 12; t++) {
        int i = (int)(((long long)t * 10007 + 3) % n);
        double a[3] = {0, 0, 0};
        for (int j = 0; j < n; j++) {
            double dx = body[j].x - body[i].x, dy = body[j].y - body[i].y, dz = body[j].z - body[i].z;
            double r2 = dx * dx + dy * dy + dz * dz + eps2, f = body[j].w / (r2 * sqrt(r2));
            a[0] += f * dx; a[1] += f * dy; a[2] += f * dz;
        }
        ok = ok && close_to(acc[i].x, a[0], 2e-3) && close_to(acc[i].y, a[1], 2e-3) && close_to(acc[i].z, a[2], 2e-3);
    }
    CK(cudaFree(db)); CK(cudaFree(dv)); CK(cudaFree(da));
    return report(ok);
}
