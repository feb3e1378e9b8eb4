// Charged dust grains in a plasma: screened Coulomb (Yukawa) forces between all pairs, a harmonic
// trap and gas friction.
#include "common.h"

#ifndef GRAINS
#define GRAINS 65536
#endif
const int TPB = 128;
const float KAPPA = 0.8f, SOFT = 1e-3f, TRAP = 0.02f, DRAG = 0.1f;

// what grain b does to grain a
__device__ inline float3 push(float4 a, float4 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    float r2 = dx * dx + dy * dy + dz * dz + SOFT, w = rsqrtf(r2), kr = KAPPA * r2 * w;
    float g = a.w * b.w * __expf(-kr) * (1.0f + kr) * w * w * w;
    return make_float3(g * dx, g * dy, g * dz);
}

__global__ void __launch_bounds__(TPB) repulsion(const float4 *__restrict__ grain, float4 *force, int n)
{
    int i = blockIdx.x * TPB + threadIdx.x;
    float4 me = grain[i];
    float3 f = make_float3(0, 0, 0);
#ifdef GOOD
#pragma unroll 4
    for (int j = 0; j < n; j++) {
        float3 p = push(me, grain[j]);
        f.x += p.x;
        f.y += p.y;
        f.z += p.z;
    }
    force[i].x += f.x;
    force[i].y += f.y;
    force[i].z += f.z;
#else
#pragma unroll 4
    for (int j = i + 1; j < n; j++) {
        float3 p = push(me, grain[j]);
        f.x += p.x;
        f.y += p.y;
        f.z += p.z;
        atomicAdd(&force[j].x, -p.x);
        atomicAdd(&force[j].y, -p.y);
        atomicAdd(&force[j].z, -p.z);
    }
    atomicAdd(&force[i].x, f.x);
    atomicAdd(&force[i].y, f.y);
    atomicAdd(&force[i].z, f.z);
#endif
}

__global__ void drift(float4 *grain, float4 *speed, const float4 *__restrict__ force, float dt)
{
    int i = blockIdx.x * TPB + threadIdx.x;
    float4 p = grain[i], v = speed[i], f = force[i];
    v.x += dt * (f.x - TRAP * p.x - DRAG * v.x);
    v.y += dt * (f.y - TRAP * p.y - DRAG * v.y);
    v.z += dt * (f.z - TRAP * p.z - DRAG * v.z);
    p.x += dt * v.x;
    p.y += dt * v.y;
    p.z += dt * v.z;
    grain[i] = p;
    speed[i] = v;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 60;
    const int n = GRAINS;
    std::vector<float4> h(n), f(n);
    unsigned seed = 5150;
    for (auto &g : h) {
        g.x = 40.0f * (frand(seed) - 0.5f);
        g.y = 40.0f * (frand(seed) - 0.5f);
        g.z = 10.0f * (frand(seed) - 0.5f);
        g.w = 0.1f + 0.05f * frand(seed);
    }
    float4 *grain, *speed, *force;
    CK(cudaMalloc(&grain, n * sizeof(float4)));
    CK(cudaMalloc(&speed, n * sizeof(float4)));
    CK(cudaMalloc(&force, n * sizeof(float4)));
    CK(cudaMemcpy(grain, h.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemset(speed, 0, n * sizeof(float4)));
    for (int s = 0; s < steps; s++) {
        if (s) drift<<<n / TPB, TPB>>>(grain, speed, force, 1e-4f);
        CK(cudaMemsetAsync(force, 0, n * sizeof(float4)));
        repulsion<<<n / TPB, TPB>>>(grain, force, n);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), grain, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(f.data(), force, n * sizeof(float4), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 40; t++) {
        int i = t == 0 ? 0 : t == 1 ? n - 1 : (int)(frand(seed) * n);
        double x = 0, y = 0, z = 0, size = 0;
        for (int j = 0; j < n; j++) {
            double dx = (double)h[i].x - h[j].x, dy = (double)h[i].y - h[j].y, dz = (double)h[i].z - h[j].z;
            double r2 = dx * dx + dy * dy + dz * dz + (double)SOFT, r = sqrt(r2), kr = KAPPA * r;
            double g = (double)h[i].w * h[j].w * exp(-kr) * (1 + kr) / (r2 * r);
            x += g * dx;
            y += g * dy;
            z += g * dz;
            size += g * (fabs(dx) + fabs(dy) + fabs(dz));
        }
        double off = fabs(f[i].x - x) + fabs(f[i].y - y) + fabs(f[i].z - z);
        ok = ok && off <= 1e-3 * size + 1e-6;
    }
    CK(cudaFree(grain)); CK(cudaFree(speed)); CK(cudaFree(force));
    return report(ok);
}
