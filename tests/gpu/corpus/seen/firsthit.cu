// Surface projection of a CT volume: for every detector pixel the first slice whose
// intensity passes the threshold, looking along z.
#include "common.h"

#ifndef NXY
#define NXY 1024
#define NZ 256
#endif
#ifndef AHEAD
#define AHEAD 8
#endif

static __host__ __device__ inline float tissue(int z, int surface, unsigned k)
{
    unsigned u = k * 2654435761u;
    u ^= u >> 15; u *= 2246822519u;
    float noise = (u >> 8) * (0.3f / 16777216.0f);
    return z < surface ? noise : 0.6f + noise;
}

__global__ void phantom(float *vol, const int *__restrict__ surface, int plane)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y;
    if (k < plane) vol[(size_t)z * plane + k] = tissue(z, surface[k], (unsigned)z * plane + k);
}

__global__ void project(const float *__restrict__ vol, int *__restrict__ depth, float *__restrict__ bright,
                        int plane, int nz, float level)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= plane) return;
    const float *p = vol + k;
    int hit = nz;
    float v = 0.0f;
#ifdef GOOD
    for (int z = 0; z < nz && hit == nz; z += AHEAD) {
        float ahead[AHEAD];
#pragma unroll
        for (int q = 0; q < AHEAD; q++) ahead[q] = p[(size_t)(z + q) * plane];
#pragma unroll
        for (int q = AHEAD - 1; q >= 0; q--)
            if (ahead[q] > level) { hit = z + q; v = ahead[q]; }
    }
#else
    for (int z = 0; z < nz; z++) {
        float here = p[(size_t)z * plane];
        if (here > level) { hit = z; v = here; break; }
    }
#endif
    depth[k] = hit;
    bright[k] = v;
}

int main(int argc, char **argv)
{
    int views = argc > 1 ? atoi(argv[1]) : 300;
    const int plane = NXY * NXY;
    std::vector<int> surface(plane), got(plane);
    std::vector<float> cosx(NXY), siny(NXY);
    for (int i = 0; i < NXY; i++) { cosx[i] = cosf(i * 0.011f); siny[i] = sinf(i * 0.013f); }
    for (int y = 0; y < NXY; y++)
        for (int x = 0; x < NXY; x++)
            surface[y * NXY + x] = NZ * 5 / 8 + (int)(NZ * 0.25f * cosx[x] * siny[y]);
    float *vol, *bright;
    int *dsurf, *depth;
    CK(cudaMalloc(&vol, (size_t)plane * NZ * sizeof(float)));
    CK(cudaMalloc(&dsurf, plane * sizeof(int)));
    CK(cudaMalloc(&depth, plane * sizeof(int)));
    CK(cudaMalloc(&bright, plane * sizeof(float)));
    CK(cudaMemcpy(dsurf, surface.data(), plane * sizeof(int), cudaMemcpyHostToDevice));
    phantom<<<dim3((plane + 255) / 256, NZ), 256>>>(vol, dsurf, plane);
    CK(cudaGetLastError());

    for (int r = 0; r < views; r++) project<<<(plane + 255) / 256, 256>>>(vol, depth, bright, plane, NZ, 0.5f);
    CK(cudaGetLastError());

    std::vector<float> lum(plane);
    CK(cudaMemcpy(got.data(), depth, plane * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(lum.data(), bright, plane * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int k = 0; k < plane; k++) {
        int s = surface[k];
        ok = ok && got[k] == s && close_to(lum[k], tissue(s, s, (unsigned)s * plane + k), 1e-5);
    }
    CK(cudaFree(vol)); CK(cudaFree(dsurf)); CK(cudaFree(depth)); CK(cudaFree(bright));
    return report(ok);
}
