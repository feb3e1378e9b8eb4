// Test particles (comets) pulled by a set of massive bodies; kick-drift steps with softened gravity.
#include "common.h"

const int COMETS = 262144, BODIES = 2048, TILE = 256;

__global__ void setup(float4 *p, float4 *v, float4 *m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = i * 2654435761u + 12345u;
    auto rnd = [&s]() { s = s * 1664525u + 1013904223u; return (s >> 8) * (1.0f / 16777216.0f) - 0.5f; };
    rnd(); rnd();
    if (i < COMETS) {
        p[i] = make_float4(rnd() * 20, rnd() * 20, rnd() * 4, 0);
        v[i] = make_float4(rnd(), rnd(), rnd(), 0);
    }
    if (i < BODIES) m[i] = make_float4(rnd() * 10, rnd() * 10, rnd(), 1e-3f * (rnd() + 1.0f));
}

// m / (r^2)^(3/2)
__device__ inline float strength(float r2, float mass)
{
#ifdef GOOD
    float q = rsqrtf(r2);
    return mass * q * q * q;
#else
    return mass / powf(r2, 1.5f);
#endif
}

__global__ void kick(const float4 *__restrict__ p, float4 *__restrict__ v, const float4 *__restrict__ m, float dt)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 c = p[i];
    float ax = 0, ay = 0, az = 0;
    for (int base = 0; base < BODIES; base += TILE) {
        tile[threadIdx.x] = m[base + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < TILE; j++) {
            float4 b = tile[j];
            float dx = b.x - c.x, dy = b.y - c.y, dz = b.z - c.z;
            float f = strength(dx * dx + dy * dy + dz * dz + 0.01f, b.w);
            ax += f * dx; ay += f * dy; az += f * dz;
        }
        __syncthreads();
    }
    float4 u = v[i];
    v[i] = make_float4(u.x + dt * ax, u.y + dt * ay, u.z + dt * az, 0);
}

__global__ void drift(float4 *p, const float4 *v, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = p[i], u = v[i];
    p[i] = make_float4(a.x + dt * u.x, a.y + dt * u.y, a.z + dt * u.z, 0);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 120;
    const float dt = 1e-3f;
    float4 *p, *v, *m;
    CK(cudaMalloc(&p, COMETS * sizeof(float4)));
    CK(cudaMalloc(&v, COMETS * sizeof(float4)));
    CK(cudaMalloc(&m, BODIES * sizeof(float4)));
    setup<<<COMETS / 256, 256>>>(p, v, m);
    CK(cudaGetLastError());
    for (int s = 0; s < steps; s++) {
        kick<<<COMETS / TILE, TILE>>>(p, v, m, dt);
        drift<<<COMETS / 256, 256>>>(p, v, dt);
    }
    CK(cudaGetLastError());

    // check one more kick
    std::vector<float4> hp(COMETS), v0(COMETS), v1(COMETS), hm(BODIES);
    CK(cudaMemcpy(hp.data(), p, COMETS * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(v0.data(), v, COMETS * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hm.data(), m, BODIES * sizeof(float4), cudaMemcpyDeviceToHost));
    kick<<<COMETS / TILE, TILE>>>(p, v, m, 1.0f);
    CK(cudaGetLastError());
    CK(cudaMemcpy(v1.data(), v, COMETS * sizeof(float4), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < COMETS; i += COMETS / 50) {
        double a = 0, b = 0;
        for (int j = 0; j < BODIES; j++) {
            double dx = (double)hm[j].x - hp[i].x, dy = (double)hm[j].y - hp[i].y, dz = (double)hm[j].z - hp[i].z;
            double f = hm[j].w / pow(dx * dx + dy * dy + dz * dz + 0.01, 1.5);
            a += f * dx; b += f * dy;
        }
        ok = ok && close_to(v1[i].x - v0[i].x, a, 2e-3) && close_to(v1[i].y - v0[i].y, b, 2e-3);
    }
    CK(cudaFree(p));
    CK(cudaFree(v));
    CK(cudaFree(m));
    return report(ok);
}
