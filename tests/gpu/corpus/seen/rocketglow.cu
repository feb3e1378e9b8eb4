// Pictures of fireworks: the light of the stars is tinted, weakened by the smoke in front of it, gets the glow of its
// surroundings, and goes through the film curve to bytes.
// usage: rocketglow width height repetitions
#include "common.h"

#define SHOTS 2              // different pictures

struct Look { float4 tint; float smoke, glow; };

__host__ __device__ inline float shine(unsigned i, unsigned k)
{
    unsigned h = i * 2654435761u + k * 2246822519u;
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 13;
    return (float)(h & 0xffff) * (1.0f / 65536.0f);
}
__host__ __device__ inline float4 lightOf(unsigned i, unsigned shot)
{
    return make_float4(2.0f * shine(i, shot), shine(i, shot + 10), 0.5f * shine(i, shot + 20), 1.0f);
}
__host__ __device__ inline float4 glowOf(unsigned i) { return make_float4(shine(i, 30), shine(i, 31), shine(i, 32), 0.0f); }
__host__ __device__ inline float depthOf(unsigned i) { return 3.0f * shine(i, 33); }

__host__ __device__ inline float4 tinted(float4 v, Look l) { return make_float4(v.x * l.tint.x, v.y * l.tint.y, v.z * l.tint.z, v.w * l.tint.w); }
__host__ __device__ inline float4 smoked(float4 v, float depth, Look l)
{
    float f = 1.0f / (1.0f + l.smoke * depth);
    return make_float4(v.x * f, v.y * f, v.z * f, v.w);
}
__host__ __device__ inline float4 glowing(float4 v, float4 g, Look l)
{
    return make_float4(v.x + l.glow * g.x, v.y + l.glow * g.y, v.z + l.glow * g.z, v.w);
}
__host__ __device__ inline unsigned char exposed(float x) { return (unsigned char)(255.0f * x / (0.6f + x)); }
__host__ __device__ inline uchar4 filmed(float4 v)
{
    uchar4 o;
    o.x = exposed(v.x); o.y = exposed(v.y); o.z = exposed(v.z); o.w = exposed(v.w);
    return o;
}

__global__ void ignite(float4 *light, float4 *glow, float *depth, int n, int shot)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    light[i] = lightOf(i, shot);
    glow[i] = glowOf(i);
    depth[i] = depthOf(i);
}

#ifdef GOOD
__global__ void __launch_bounds__(256) develop(const float4 *__restrict__ light, const float *__restrict__ depth,
                                               const float4 *__restrict__ glow, uchar4 *__restrict__ out, Look l, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = filmed(glowing(smoked(tinted(light[i], l), depth[i], l), glow[i], l));
}
#else
__global__ void __launch_bounds__(256) tint(const float4 *__restrict__ light, float4 *__restrict__ v, Look l, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = tinted(light[i], l);
}
__global__ void __launch_bounds__(256) smoke(float4 *__restrict__ v, const float *__restrict__ depth, Look l, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = smoked(v[i], depth[i], l);
}
__global__ void __launch_bounds__(256) add_glow(float4 *__restrict__ v, const float4 *__restrict__ glow, Look l, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = glowing(v[i], glow[i], l);
}
__global__ void __launch_bounds__(256) film(const float4 *__restrict__ v, uchar4 *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = filmed(v[i]);
}
#endif

int main(int argc, char **argv)
{
    const int width = argc > 1 ? atoi(argv[1]) : 3840, height = argc > 2 ? atoi(argv[2]) : 2160;
    const int reps = argc > 3 ? atoi(argv[3]) : 3500, n = width * height, blocks = (n + 255) / 256;
    float4 *light[SHOTS], *glow; float *depth; uchar4 *out;
    CK(cudaMalloc(&glow, n * sizeof(float4)));
    CK(cudaMalloc(&depth, n * sizeof(float)));
    CK(cudaMalloc(&out, n * sizeof(uchar4)));
    for (int s = 0; s < SHOTS; ++s) {
        CK(cudaMalloc(&light[s], n * sizeof(float4)));
        ignite<<<blocks, 256>>>(light[s], glow, depth, n, s);
    }
#ifndef GOOD
    float4 *v;
    CK(cudaMalloc(&v, n * sizeof(float4)));
#endif
    Look l = {};
    for (int r = 0; r < reps; ++r) {
        l.tint = make_float4(1.0f, 0.8f + 0.01f * (float)(r % 9), 0.7f, 1.0f);
        l.smoke = 0.2f + 0.05f * (float)(r % 5);
        l.glow = 0.15f;
#ifdef GOOD
        develop<<<blocks, 256>>>(light[r % SHOTS], depth, glow, out, l, n);
#else
        tint<<<blocks, 256>>>(light[r % SHOTS], v, l, n);
        smoke<<<blocks, 256>>>(v, depth, l, n);
        add_glow<<<blocks, 256>>>(v, glow, l, n);
        film<<<blocks, 256>>>(v, out, n);
#endif
    }
    CK(cudaGetLastError());
    std::vector<uchar4> got(n);
    CK(cudaMemcpy(got.data(), out, n * sizeof(uchar4), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < n; i += 401) {
        uchar4 w = filmed(glowing(smoked(tinted(lightOf(i, (reps - 1) % SHOTS), l), depthOf(i), l), glowOf(i), l));
        ok = ok && abs(w.x - got[i].x) <= 1 && abs(w.y - got[i].y) <= 1 && abs(w.z - got[i].z) <= 1 && abs(w.w - got[i].w) <= 1;
    }
    printf("first pixel %d %d %d\n", got[0].x, got[0].y, got[0].z);
    for (int s = 0; s < SHOTS; ++s) CK(cudaFree(light[s]));
    CK(cudaFree(glow)); CK(cudaFree(depth)); CK(cudaFree(out));
#ifndef GOOD
    CK(cudaFree(v));
#endif
    return report(ok);
}
