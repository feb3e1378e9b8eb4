// Vortex particle method: velocity induced by every vortex blob on every other one
// (regularised Biot-Savart law), then the blobs are moved along.
#include "common.h"

#ifndef NV
#define NV 65536
#endif
#define TILE 256

__global__ void induce(const float4 *__restrict__ pos, const float4 *__restrict__ vort,
                       float4 *__restrict__ vel, int n, float eps2)
{
    __shared__ float4 sp[TILE];
    __shared__ float4 sv[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = pos[i];
    float ux = 0, uy = 0, uz = 0;
    for (int base = 0; base < n; base += TILE) {
        sp[threadIdx.x] = pos[base + threadIdx.x];
        sv[threadIdx.x] = vort[base + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < TILE; j++) {
            float4 p = sp[j], g = sv[j];
            float dx = me.x - p.x, dy = me.y - p.y, dz = me.z - p.z;
            float r2 = dx * dx + dy * dy + dz * dz + eps2;
#ifdef GOOD
            float ri = rsqrtf(r2);
            float k = ri * ri * ri;
#else
            float k = powf(r2, -1.5f);
#endif
            ux += k * (g.y * dz - g.z * dy);
            uy += k * (g.z * dx - g.x * dz);
            uz += k * (g.x * dy - g.y * dx);
        }
        __syncthreads();
    }
    const float q = 0.0795774715f;   // 1 / (4 pi)
    vel[i] = make_float4(q * ux, q * uy, q * uz, 0.0f);
}

__global__ void advance(float4 *pos, const float4 *vel, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pos[i].x += dt * vel[i].x;
    pos[i].y += dt * vel[i].y;
    pos[i].z += dt * vel[i].z;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 12;
    const int n = NV;
    const float eps2 = 1e-3f, dt = 1e-3f;
    std::vector<float4> p(n), g(n), u(n);
    unsigned seed = 77;
    for (int i = 0; i < n; i++) {      // a noisy vortex ring
        float a = 6.2831853f * i / n;
        p[i] = make_float4(cosf(a) + 0.1f * frand(seed), sinf(a) + 0.1f * frand(seed), 0.1f * frand(seed), 0);
        g[i] = make_float4(-sinf(a) / n, cosf(a) / n, 0.01f * (frand(seed) - 0.5f) / n, 0);
    }
    float4 *dp, *dg, *du;
    CK(cudaMalloc(&dp, n * sizeof(float4)));
    CK(cudaMalloc(&dg, n * sizeof(float4)));
    CK(cudaMalloc(&du, n * sizeof(float4)));
    CK(cudaMemcpy(dp, p.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dg, g.data(), n * sizeof(float4), cudaMemcpyHostToDevice));

    for (int s = 0; s < steps; s++) {
        induce<<<n / TILE, TILE>>>(dp, dg, du, n, eps2);
        if (s + 1 < steps) advance<<<n / 256, 256>>>(dp, du, n, dt);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(p.data(), dp, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(u.data(), du, n * sizeof(float4), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 16; t++) {
        int i = (int)(((long long)t * 4099 + 11) % n);
        double w[3] = {0, 0, 0};
        for (int j = 0; j < n; j++) {
            double dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, dz = p[i].z - p[j].z;
            double k = pow(dx * dx + dy * dy + dz * dz + eps2, -1.5) / (4 * M_PI);
            w[0] += k * (g[j].y * dz - g[j].z * dy);
            w[1] += k * (g[j].z * dx - g[j].x * dz);
            w[2] += k * (g[j].x * dy - g[j].y * dx);
        }
        ok = ok && close_to(u[i].x, w[0], 2e-3) && close_to(u[i].y, w[1], 2e-3) && close_to(u[i].z, w[2], 2e-3);
    }
    CK(cudaFree(dp)); CK(cudaFree(dg)); CK(cudaFree(du));
    return report(ok);
}
