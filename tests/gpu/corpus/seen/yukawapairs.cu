// Dusty plasma: screened Coulomb (Yukawa) forces among all grains, tiles of
// grains in shared memory, leapfrog steps.
#include "common.h"

#define TILE 128

__host__ __device__ inline float grain_coord(unsigned i, unsigned axis)
{
    unsigned s = i * 2654435761u + axis * 97u + 17u;
    s ^= s >> 16; s *= 2246822519u; s ^= s >> 13; s *= 3266489917u; s ^= s >> 16;
    return (s >> 8) * (20.0f / 16777216.0f);
}

__global__ void seed(float4 *pos, float4 *vel, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pos[i] = make_float4(grain_coord(i, 0), grain_coord(i, 1), grain_coord(i, 2), 1.0f + (i & 3) * 0.1f);
    vel[i] = make_float4(0, 0, 0, 0);
}

__global__ void forces(const float4 *__restrict__ pos, float4 *__restrict__ acc, int n, float lambda)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = pos[i];
    float ax = 0, ay = 0, az = 0;
    float inv_l = 1.0f / lambda;
    for (int t = 0; t < n; t += TILE) {
        tile[threadIdx.x] = pos[t + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < TILE; j++) {
            float4 p = tile[j];
            float dx = me.x - p.x, dy = me.y - p.y, dz = me.z - p.z;
            float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
#ifdef GOOD
            float ir = rsqrtf(r2);
            float r = r2 * ir;
            float f = p.w * __expf(-r * inv_l) * (1.0f + r * inv_l) * (ir * ir * ir);
#else
            float r = sqrtf(r2);
            float f = p.w * expf(-r / lambda) * (1.0f + r * inv_l) / powf(r2, 1.5f);
#endif
            ax += f * dx; ay += f * dy; az += f * dz;
        }
        __syncthreads();
    }
    acc[i] = make_float4(me.w * ax, me.w * ay, me.w * az, 0);
}

__global__ void push(float4 *pos, float4 *vel, const float4 *acc, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], v = vel[i], a = acc[i];
    v.x += a.x * dt; v.y += a.y * dt; v.z += a.z * dt;
    p.x += v.x * dt; p.y += v.y * dt; p.z += v.z * dt;
    pos[i] = p; vel[i] = v;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 1;
    const int n = 2048 * TILE;
    const float lambda = 1.5f;
    float4 *pos, *vel, *acc;
    CK(cudaMalloc(&pos, n * sizeof(float4)));
    CK(cudaMalloc(&vel, n * sizeof(float4)));
    CK(cudaMalloc(&acc, n * sizeof(float4)));
    seed<<<n / TILE, TILE>>>(pos, vel, n);
    for (int s = 0; s < steps; s++) {
        if (s) push<<<n / TILE, TILE>>>(pos, vel, acc, n, 1e-5f);
        forces<<<n / TILE, TILE>>>(pos, acc, n, lambda);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float4> hp(n), ha(n);
    CK(cudaMemcpy(hp.data(), pos, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(ha.data(), acc, n * sizeof(float4), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 5; i < n; i += n / 7) {
        double ax = 0, ay = 0, az = 0, mag = 0;
        for (int j = 0; j < n; j++) {
            double dx = hp[i].x - hp[j].x, dy = hp[i].y - hp[j].y, dz = hp[i].z - hp[j].z;
            double r2 = dx * dx + dy * dy + dz * dz + 0.01f, r = sqrt(r2);
            double f = hp[i].w * hp[j].w * exp(-r / lambda) * (1 + r / lambda) / (r2 * r);
            ax += f * dx; ay += f * dy; az += f * dz;
            mag += f * r;
        }
        if (fabs(ha[i].x - ax) + fabs(ha[i].y - ay) + fabs(ha[i].z - az) > 1e-3 * mag) ok = false;  // float sums of 2^18 terms
    }
    CK(cudaFree(pos)); CK(cudaFree(vel)); CK(cudaFree(acc));
    return report(ok);
}
