// Gravity between all pairs of bodies, one struct a body.
#include "common.h"
struct Body { float x, y, z, mass, vx, vy, vz, radius; };
__global__ void forces(const Body *b, float3 *acc, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float px = b[i].x, py = b[i].y, pz = b[i].z, ax = 0, ay = 0, az = 0;
#ifndef GOOD
    for (int j = 0; j < n; j++) {
        float dx = b[j].x - px, dy = b[j].y - py, dz = b[j].z - pz;
        float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
        float f = b[j].mass * inv * inv * inv;
        ax += f * dx; ay += f * dy; az += f * dz;
    }
#else
    __shared__ float4 t[256];
    for (int j0 = 0; j0 < n; j0 += 256) {
        const Body &q = b[j0 + threadIdx.x];
        t[threadIdx.x] = make_float4(q.x, q.y, q.z, q.mass);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; j++) {
            float4 p = t[j];
            float dx = p.x - px, dy = p.y - py, dz = p.z - pz;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
            float f = p.w * inv * inv * inv;
            ax += f * dx; ay += f * dy; az += f * dz;
        }
        __syncthreads();
    }
#endif
    acc[i] = make_float3(ax, ay, az);
}
int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 10;
    const int n = 131072;
    std::vector<Body> h(n);
    unsigned s = 2;
    for (auto &q : h) q = {frand(s), frand(s), frand(s), 1.0f / n, 0, 0, 0, 1};
    Body *b; float3 *a;
    CK(cudaMalloc(&b, n * sizeof(Body))); CK(cudaMalloc(&a, n * sizeof(float3)));
    CK(cudaMemcpy(b, h.data(), n * sizeof(Body), cudaMemcpyHostToDevice));
    for (int k = 0; k < steps; k++) forces<<<n / 256, 256>>>(b, a, n);
    std::vector<float3> r(n);
    CK(cudaMemcpy(r.data(), a, n * sizeof(float3), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += n / 4) {
        double x = 0;
        for (int j = 0; j < n; j++) {
            double dx = h[j].x - h[i].x, dy = h[j].y - h[i].y, dz = h[j].z - h[i].z, d = dx * dx + dy * dy + dz * dz + 1e-4;
            x += h[j].mass * dx / (d * sqrt(d));
        }
        ok = ok && fabs(x - r[i].x) < 1e-2 * (1 + fabs(x));
    }
    return report(ok);
}
