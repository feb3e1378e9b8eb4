// Random walks of particles through a slab until they are absorbed or leave.
#include "common.h"
__device__ float uni(unsigned &s) { s = s * 1664525u + 1013904223u; return ((s >> 8) + 1) * (1.0f / 16777217.0f); }
// Histories are shared out in advance (bad) or fetched when a walk is over (good).
__global__ void walk(unsigned *absorbed, unsigned *left, int total, int per, float width)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = 0, l = 0;
#ifndef GOOD
    for (int k = 0; k < per; k++) {
        unsigned s = (id * per + k) * 2654435761u;
        float x = 0, mu = 1;
        for (;;) {
            x += mu * -__logf(uni(s));
            if (x < 0 || x > width) { l++; break; }
            if (uni(s) < 0.03f) { a++; break; }
            mu = 2 * uni(s) - 1;
        }
    }
#else
    int k = 0;
    unsigned s = (id * per) * 2654435761u;
    float x = 0, mu = 1;
    while (k < per) {
        x += mu * -__logf(uni(s));
        bool out = x < 0 || x > width, eaten = !out && uni(s) < 0.03f;
        l += out; a += eaten;
        if (out || eaten) { k++; s = (id * per + k) * 2654435761u; x = 0; mu = 1; }
        else mu = 2 * uni(s) - 1;
    }
#endif
    atomicAdd(absorbed, a); atomicAdd(left, l);
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 5;
    const int threads = 1 << 20, per = 64;
    unsigned *d, h[2];
    CK(cudaMalloc(&d, 8));
    for (int r = 0; r < reps; r++) {
        CK(cudaMemset(d, 0, 8));
        walk<<<threads / 256, 256>>>(d, d + 1, threads * per, per, 20.0f);
    }
    CK(cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost));
    printf("absorbed %u\n", h[0]);
    return report(h[0] + h[1] == (unsigned)threads * per);
}
