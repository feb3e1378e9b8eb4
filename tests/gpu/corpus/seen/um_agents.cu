// A city of agents in managed memory: the GPU moves all of them, and after each tick those
// who stand at the gates (the first of the list) are sent home or let in.
//   um_agents [ticks] [agents]
#include "common.h"

struct Agent { float x, y, energy; int trips; };

__host__ __device__ inline Agent live(Agent a)
{
    for (int i = 0; i < 600; i++) {
        float dx = 0.001f * (a.y - 0.5f), dy = 0.001f * (0.5f - a.x);
        a.x += dx;
        a.y += dy;
        a.energy -= dx * dx + dy * dy;
    }
    a.energy -= 0.02f;
    return a;
}

__host__ __device__ inline Agent gate(Agent a)
{
    if (a.energy < 0) {
        a.energy = 0.25f;
        a.trips++;
    }
    return a;
}

__host__ __device__ inline Agent born(int i)
{
    Agent a = {(i % 1000) * 0.001f, (i / 1000 % 1000) * 0.001f, (i % 37) * 0.01f, 0};
    return a;
}

__global__ void settle(Agent *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = born(i);
}

__global__ void tick(Agent *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = live(a[i]);
}

#ifdef GOOD
__global__ void gates(Agent *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = gate(a[i]);
}
#endif

int main(int argc, char **argv)
{
    int ticks = argc > 1 ? atoi(argv[1]) : 100, n = argc > 2 ? atoi(argv[2]) : 4000000, at_gates = n / 16;
    Agent *a;
    CK(cudaMallocManaged(&a, n * sizeof(Agent)));
    settle<<<(n + 255) / 256, 256>>>(a, n);
    for (int t = 0; t < ticks; t++) {
        tick<<<(n + 255) / 256, 256>>>(a, n);
#ifndef GOOD
        CK(cudaDeviceSynchronize());
        for (int i = 0; i < at_gates; i++) a[i] = gate(a[i]);
#else
        gates<<<(at_gates + 255) / 256, 256>>>(a, at_gates);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    long trips = 0;
    for (int i = 0; i < at_gates; i++) trips += a[i].trips;
    for (int t = 0; t < 200; t++) {
        int i = (int)((long)t * n / 200);
        Agent w = born(i);
        for (int k = 0; k < ticks; k++) {
            w = live(w);
            if (i < at_gates) w = gate(w);
        }
        ok = ok && fabsf(w.x - a[i].x) < 1e-3f && fabsf(w.y - a[i].y) < 1e-3f && abs(w.trips - a[i].trips) <= 1;
    }
    printf("%ld trips\n", trips);
    return report(ok && trips > 0);
}
