// Dusty plasma: charged grains in a magnetic field and a weak wave. Grains with much charge for their mass gyrate
// faster, so they are pushed (Boris) in more and shorter sub-steps during each step of the wave.
// usage: gyrosub grains steps
#include "common.h"

#define MAXSUB 128

// position and charge-to-mass ratio; velocity
__host__ __device__ inline void push(float4 &p, float4 &v, float time, float dt)
{
    const int sub = (int)p.w;
    const float h = dt / (float)sub, half = 0.5f * h * p.w;
    for (int k = 0; k < sub; ++k) {
        // electric field of the wave, as a smooth function in a box of length one; magnetic field mostly along z
        float sx = p.x - floorf(p.x), sy = p.y - floorf(p.y);
        float ex = 0.02f * (sx * (1.0f - sx) - 0.16f) * time, ey = 0.02f * (sy * (1.0f - sy) - 0.16f) * (1.0f - time);
        float bx = 0.1f, by = 0.05f, bz = 1.0f + 0.1f * (sx * (1.0f - sx));
        float ux = v.x + half * ex, uy = v.y + half * ey, uz = v.z;
        float tx = half * bx, ty = half * by, tz = half * bz;
        float f = 2.0f / (1.0f + tx * tx + ty * ty + tz * tz);
        float wx = ux + uy * tz - uz * ty, wy = uy + uz * tx - ux * tz, wz = uz + ux * ty - uy * tx;
        ux += f * (wy * tz - wz * ty);
        uy += f * (wz * tx - wx * tz);
        uz += f * (wx * ty - wy * tx);
        v.x = ux + half * ex; v.y = uy + half * ey; v.z = uz;
        p.x += h * v.x; p.y += h * v.y; p.z += h * v.z;
    }
}

__global__ void __launch_bounds__(256) push_grains(float4 *pos, float4 *vel, int n, float time, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], v = vel[i];
    push(p, v, time, dt);
    pos[i] = p;
    vel[i] = v;
}

static float waveTime(int step) { return (float)(step % 50) / 50.0f; }

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 22, steps = argc > 2 ? atoi(argv[2]) : 600;
    const float dt = 0.25f;
    std::vector<float4> pos(n), vel(n);
    unsigned s = 909;
    for (int i = 0; i < n; ++i) {
        float sub = floorf(4.0f * powf(2.0f, 5.0f * frand(s)));      // 4 to 128, as many small as large
        pos[i] = make_float4(frand(s), frand(s), frand(s), fminf(sub, (float)MAXSUB));
        vel[i] = make_float4(frand(s) - 0.5f, frand(s) - 0.5f, 0.1f * (frand(s) - 0.5f), 0.0f);
    }
#ifdef GOOD
    // the grains of a warp with the same number of sub-steps; the ratio never changes
    std::vector<int> from(MAXSUB + 2, 0);
    for (int i = 0; i < n; ++i) ++from[(int)pos[i].w + 1];
    for (int k = 0; k <= MAXSUB; ++k) from[k + 1] += from[k];
    std::vector<float4> p2(n), v2(n);
    for (int i = 0; i < n; ++i) { int to = from[(int)pos[i].w]++; p2[to] = pos[i]; v2[to] = vel[i]; }
    pos.swap(p2);
    vel.swap(v2);
#endif
    float4 *dpos, *dvel;
    CK(cudaMalloc(&dpos, n * sizeof(float4)));
    CK(cudaMalloc(&dvel, n * sizeof(float4)));
    CK(cudaMemcpy(dpos, pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dvel, vel.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    for (int k = 0; k < steps; ++k) push_grains<<<(n + 255) / 256, 256>>>(dpos, dvel, n, waveTime(k), dt);
    CK(cudaGetLastError());
    std::vector<float4> gp(n), gv(n);
    CK(cudaMemcpy(gp.data(), dpos, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(gv.data(), dvel, n * sizeof(float4), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 8; ++q) {
        int i = (int)((long long)q * (n - 1) / 7);
        float4 p = pos[i], v = vel[i];
        for (int k = 0; k < steps; ++k) push(p, v, waveTime(k), dt);
        double far = fabs(p.x - gp[i].x) + fabs(p.y - gp[i].y) + fabs(p.z - gp[i].z);
        double fast = sqrt(v.x * v.x + v.y * v.y + v.z * v.z), gfast = sqrt(gv[i].x * gv[i].x + gv[i].y * gv[i].y + gv[i].z * gv[i].z);
        ok = ok && far < 0.05 && close_to(gfast, fast, 0.02);
    }
    printf("grain 0 at %.3f %.3f %.3f\n", gp[0].x, gp[0].y, gp[0].z);
    CK(cudaFree(dpos)); CK(cudaFree(dvel));
    return report(ok);
}
