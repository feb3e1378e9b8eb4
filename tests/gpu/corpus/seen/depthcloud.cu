// Warehouse robot: depth pictures (millimetres, 16 bits) of a set of cameras become points in the
// frame of each camera, x, y and z in planes of their own; no depth gives the point at the origin.
#include "common.h"

#ifndef WIDE
#define WIDE 4096
#define HIGH 3072
#endif
const int CAMERAS = 12, FOUR = WIDE / 4;

struct Lens { float cx, cy, fx, fy; };         // principal point, one over the focal lengths

#ifdef GOOD
struct Rig { Lens lens[CAMERAS]; };
#else
__constant__ Lens lenses[CAMERAS];
#endif

__host__ __device__ inline unsigned short range_at(unsigned k)
{
    unsigned h = k * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (h & 15) == 0 ? 0 : (unsigned short)(400 + (h >> 4) % 7600);
}

__global__ void shoot(unsigned short *depth, unsigned n)
{
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) depth[k] = range_at(k);
}

__device__ inline float4 times(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }

__device__ inline void unproject(const ushort4 *__restrict__ depth, float4 *__restrict__ cloud, const Lens &l)
{
    const size_t plane = (size_t)FOUR * HIGH;
    int q = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y;
    size_t k = (size_t)v * FOUR + q, at = (size_t)blockIdx.z * 3 * plane + k;
    ushort4 d = depth[blockIdx.z * plane + k];
    float4 z = make_float4(d.x * 0.001f, d.y * 0.001f, d.z * 0.001f, d.w * 0.001f);
    float u = 4 * q - l.cx, slope = (v - l.cy) * l.fy;
    float4 across = make_float4(u * l.fx, (u + 1) * l.fx, (u + 2) * l.fx, (u + 3) * l.fx);
    cloud[at] = times(z, across);
    cloud[at + plane] = times(z, make_float4(slope, slope, slope, slope));
    cloud[at + 2 * plane] = z;
}

#ifdef GOOD
__global__ void __launch_bounds__(256) to_cloud(const ushort4 *__restrict__ depth, float4 *__restrict__ cloud,
                                                const __grid_constant__ Rig rig)
{
    unproject(depth, cloud, rig.lens[blockIdx.z]);
}
#else
__global__ void __launch_bounds__(256) to_cloud(const ushort4 *__restrict__ depth, float4 *__restrict__ cloud)
{
    unproject(depth, cloud, lenses[blockIdx.z]);
}
#endif

int main(int argc, char **argv)
{
    int shots = argc > 1 ? atoi(argv[1]) : 3000;
    unsigned seed = 2;
    std::vector<Lens> lens(CAMERAS);
    for (auto &l : lens)
        l = {WIDE * (0.49f + 0.02f * frand(seed)), HIGH * (0.49f + 0.02f * frand(seed)),
             1.0f / (2800 + 100 * frand(seed)), 1.0f / (2800 + 100 * frand(seed))};
    const size_t pixels = (size_t)WIDE * HIGH;
    unsigned short *depth;
    float *cloud;
    CK(cudaMalloc(&depth, CAMERAS * pixels * sizeof(unsigned short)));
    CK(cudaMalloc(&cloud, CAMERAS * 3 * pixels * sizeof(float)));
    shoot<<<132 * 8, 256>>>(depth, (unsigned)(CAMERAS * pixels));
    dim3 grid(FOUR / 256, HIGH, CAMERAS);
#ifdef GOOD
    Rig rig;
    std::copy(lens.begin(), lens.end(), rig.lens);
#else
    CK(cudaMemcpyToSymbol(lenses, lens.data(), CAMERAS * sizeof(Lens)));
#endif
    for (int s = 0; s < shots; s++) {
#ifdef GOOD
        to_cloud<<<grid, 256>>>((const ushort4 *)depth, (float4 *)cloud, rig);
#else
        to_cloud<<<grid, 256>>>((const ushort4 *)depth, (float4 *)cloud);
#endif
    }
    CK(cudaGetLastError());

    std::vector<float> row[3];
    for (auto &r : row) r.resize(WIDE);
    bool ok = true;
    for (int t = 0; t < 36; t++) {
        int c = t % CAMERAS, v = t * 577 % HIGH;
        for (int p = 0; p < 3; p++)
            CK(cudaMemcpy(row[p].data(), cloud + (c * 3 + p) * pixels + (size_t)v * WIDE, WIDE * sizeof(float),
                          cudaMemcpyDeviceToHost));
        for (int u = 0; u < WIDE; u++) {
            double z = range_at((unsigned)(c * pixels + (size_t)v * WIDE + u)) * 1e-3;
            ok = ok && close_to(row[2][u], z, 1e-5);
            ok = ok && close_to(row[0][u], z * (u - (double)lens[c].cx) * lens[c].fx, 1e-4);
            ok = ok && close_to(row[1][u], z * (v - (double)lens[c].cy) * lens[c].fy, 1e-4);
        }
    }
    CK(cudaFree(depth)); CK(cudaFree(cloud));
    return report(ok);
}
