// Tracer particles in a cellular flow. The state is advanced on the device; every fiftieth step the host writes a
// snapshot line (bounding box) from its copy of the positions.
#include "common.h"

#define SUB 8
#define EVERY 50

__host__ __device__ static inline float wave(float a)             // smooth periodic bump, period 1
{
    a -= floorf(a);
    float b = a * (1.0f - a) * 4.0f;
    return 2.0f * b - 1.0f;
}

__host__ __device__ static inline float2 substep(float2 p)
{
    float u = wave(p.x) * wave(p.y + 0.25f), v = -wave(p.x + 0.25f) * wave(p.y);
    p.x += 0.002f * u;
    p.y += 0.002f * v;
    return p;
}

__global__ void scatter_tracers(float2 *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = make_float2((i % 1024) / 256.0f, (i / 1024) / 512.0f);
}

__global__ void advect(float2 *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 q = p[i];
    for (int k = 0; k < SUB; k++) q = substep(q);
    p[i] = q;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 1000;
    const int n = 1 << 21;
    float2 *p, *h;
    CK(cudaMalloc(&p, n * sizeof(float2)));
    CK(cudaMallocHost(&h, n * sizeof(float2)));
    scatter_tracers<<<n / 256, 256>>>(p, n);
    CK(cudaGetLastError());
    float w = 0;
    for (int s = 1; s <= steps; s++) {
        advect<<<n / 256, 256>>>(p, n);
        CK(cudaGetLastError());
#ifdef GOOD
        if (s % EVERY == 0 || s == steps)
#endif
            CK(cudaMemcpyAsync(h, p, n * sizeof(float2), cudaMemcpyDeviceToHost));
        if (s % EVERY == 0) {
            CK(cudaStreamSynchronize(0));
            float lo = 1e30f, hi = -1e30f;
            for (int i = 0; i < n; i += 64) { lo = std::min(lo, h[i].x); hi = std::max(hi, h[i].x); }
            w = hi - lo;
            if (s % (EVERY * 5) == 0) printf("step %d: width %.4f\n", s, w);
        }
    }
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int i = 0; i < n; i++) if (!(fabsf(h[i].x) < 100.0f && fabsf(h[i].y) < 100.0f)) ok = false;
    // long trajectories part from each other; a short run is compared with the CPU
    scatter_tracers<<<n / 256, 256>>>(p, n);
    for (int s = 0; s < 5; s++) advect<<<n / 256, 256>>>(p, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h, p, n * sizeof(float2), cudaMemcpyDeviceToHost));
    for (int i = 1; i < n; i += n / 200) {
        float2 q = make_float2((i % 1024) / 256.0f, (i / 1024) / 512.0f);
        for (int k = 0; k < 5 * SUB; k++) q = substep(q);
        if (fabsf(q.x - h[i].x) > 1e-3f || fabsf(q.y - h[i].y) > 1e-3f) { printf("tracer %d: %g %g, %g %g\n", i, h[i].x, h[i].y, q.x, q.y); ok = false; }
    }
    CK(cudaFreeHost(h));
    CK(cudaFree(p));
    return report(ok);
}
