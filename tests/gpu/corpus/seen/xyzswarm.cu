// Swarm of agents under softened mutual attraction, all pairs, in fp32: positions come through shared memory a tile at
// a time, the inner loop is unrolled, the square root is the hardware's reciprocal one.
#include "common.h"

#ifdef GOOD
#define TILE 128
#else
#define TILE 256
#endif
#define SOFT 1e-3f

__host__ __device__ static inline float4 spawn(unsigned i)
{
    unsigned a = i * 2654435761u; a ^= a >> 15; a *= 0x85ebca6bu; a ^= a >> 13;
    unsigned b = a * 0xc2b2ae35u + i; b ^= b >> 16;
    unsigned c = b * 0x27d4eb2fu + 77u; c ^= c >> 15;
    const float s = 1.0f / 16777216.0f;
    return make_float4((a >> 8) * s - 0.5f, (b >> 8) * s - 0.5f, (c >> 8) * s - 0.5f, 0.5f + (c & 255u) / 256.0f);
}

__global__ void populate(float4 *p, float4 *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i] = spawn(i);
    v[i] = make_float4(0, 0, 0, 0);
}

__global__ void __launch_bounds__(TILE) attract(const float4 *__restrict__ p, float4 *__restrict__ acc, int n)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = p[i];
    float ax = 0, ay = 0, az = 0;
    for (int base = 0; base < n; base += TILE) {
        tile[threadIdx.x] = p[base + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int j = 0; j < TILE; j++) {
            float4 q = tile[j];
            float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + SOFT);
            float w = q.w * r * r * r;
            ax += w * dx; ay += w * dy; az += w * dz;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}

__global__ void advance(float4 *p, float4 *v, const float4 *__restrict__ acc, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = acc[i], x = p[i], w = v[i];
    w.x += dt * a.x; w.y += dt * a.y; w.z += dt * a.z;
    x.x += dt * w.x; x.y += dt * w.y; x.z += dt * w.z;
    p[i] = x;
    v[i] = w;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 1;
    const int n = argc > 2 ? atoi(argv[2]) : 132 * 2048;          // a multiple of 256
    float4 *p, *v, *acc;
    CK(cudaMalloc(&p, n * sizeof(float4)));
    CK(cudaMalloc(&v, n * sizeof(float4)));
    CK(cudaMalloc(&acc, n * sizeof(float4)));
    populate<<<n / 256, 256>>>(p, v, n);
    CK(cudaGetLastError());
    bool ok = true;
    std::vector<float4> h(n);
    for (int s = 0; s < steps; s++) {
        attract<<<n / TILE, TILE>>>(p, acc, n);
        CK(cudaGetLastError());
        if (s == 0) {
            CK(cudaMemcpy(h.data(), acc, n * sizeof(float4), cudaMemcpyDeviceToHost));
            for (int i = 9; i < n; i += n / 8) {
                float4 me = spawn(i);
                double ax = 0, ay = 0, az = 0;
                for (int j = 0; j < n; j++) {
                    float4 q = spawn(j);
                    double dx = (double)q.x - me.x, dy = (double)q.y - me.y, dz = (double)q.z - me.z;
                    double r2 = dx * dx + dy * dy + dz * dz + SOFT, w = q.w / (r2 * sqrt(r2));
                    ax += w * dx; ay += w * dy; az += w * dz;
                }
                double size = sqrt(ax * ax + ay * ay + az * az) + 1e-6 * n;
                if (fabs(h[i].x - ax) + fabs(h[i].y - ay) + fabs(h[i].z - az) > 0.01 * size) { printf("agent %d: %g, %g\n", i, h[i].x, ax); ok = false; }
            }
        }
        advance<<<n / 256, 256>>>(p, v, acc, n, 1e-6f);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(h.data(), p, n * sizeof(float4), cudaMemcpyDeviceToHost));
    double cx = 0, m = 0;
    for (int i = 0; i < n; i++) { cx += (double)h[i].x * h[i].w; m += h[i].w; }
    printf("centre of mass x %.6f\n", cx / m);
    if (!(fabs(cx / m) < 0.1)) ok = false;
    CK(cudaFree(p)); CK(cudaFree(v)); CK(cudaFree(acc));
    return report(ok);
}
