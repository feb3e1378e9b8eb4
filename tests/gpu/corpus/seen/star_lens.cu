// Ray shooting through a field of 512 lenses with a power-law profile of mass.
//   star_lens [planes]
#include "common.h"

#ifndef GOOD
#define POW powf
#else
#define POW __powf
#endif

const int LENSES = 512;
__constant__ float4 lens[LENSES];        // x, y, mass, core

__global__ void shoot(float2 *__restrict__ source, int side, float slope)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (i % side) * (2.0f / side) - 1, y = (i / side) * (2.0f / side) - 1, ax = 0, ay = 0;
#pragma unroll 4
    for (int k = 0; k < LENSES; k++) {
        float4 l = lens[k];
        float dx = x - l.x, dy = y - l.y;
        float f = l.z * POW(dx * dx + dy * dy + l.w, slope);
        ax += f * dx;
        ay += f * dy;
    }
    source[i] = make_float2(x - ax, y - ay);
}

int main(int argc, char **argv)
{
    int planes = argc > 1 ? atoi(argv[1]) : 60;
    const int side = 2048, rays = side * side;
    float2 *source;
    CK(cudaMalloc(&source, rays * sizeof(float2)));
    std::vector<float4> l(LENSES);
    unsigned seed = 11;
    for (float4 &v : l) {
        v.x = 2 * frand(seed) - 1; v.y = 2 * frand(seed) - 1;
        v.z = 0.0005f * (1 + frand(seed)); v.w = 0.001f + 0.002f * frand(seed);
    }
    CK(cudaMemcpyToSymbol(lens, l.data(), LENSES * sizeof(float4)));
    for (int p = 0; p < planes; p++) {
        shoot<<<rays / 256, 256>>>(source, side, -0.75f - 0.002f * p);
        CK(cudaGetLastError());
    }
    std::vector<float2> h(rays);
    CK(cudaMemcpy(h.data(), source, rays * sizeof(float2), cudaMemcpyDeviceToHost));
    double r = 0;
    for (float2 s : h) r += fabs(s.x) + fabs(s.y);
    printf("mean distance %.4f\n", r / rays);
    return report(r > 0 && r / rays < 10);
}
