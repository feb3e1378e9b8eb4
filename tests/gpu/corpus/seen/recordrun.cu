// A lattice of coupled oscillators is simulated and every frame of it is recorded in host memory (a ring of frames in
// page-locked memory that a writer would drain).
#include "common.h"

#define FRAMES 8

__host__ __device__ static inline float start_of(int i) { return ((i * 2654435761u) >> 8) * (1.0f / 16777216.0f); }

__global__ void begin(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = start_of(i);
}

// every site relaxes for a while towards the mean of its two neighbours under a logistic forcing
__host__ __device__ static inline float site(float l, float c, float r, int inner)
{
    float m = 0.5f * (l + r);
    for (int k = 0; k < inner; k++) {
        float f = 3.6f * c * (1.0f - c);
        c = 0.7f * c + 0.2f * m + 0.1f * f;
    }
    return c;
}

__global__ void evolve_sites(const float *__restrict__ a, float *__restrict__ b, int n, int inner)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    b[i] = site(a[i ? i - 1 : n - 1], a[i], a[i + 1 < n ? i + 1 : 0], inner);
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 200;
    const int n = 4 << 20, inner = 700;
    const size_t bytes = n * sizeof(float);
    float *buf[2], *ring;
    CK(cudaMalloc(&buf[0], bytes));
    CK(cudaMalloc(&buf[1], bytes));
    CK(cudaMallocHost(&ring, bytes * FRAMES));
    cudaStream_t sim;
    CK(cudaStreamCreate(&sim));
#ifdef GOOD
    cudaStream_t rec;
    cudaEvent_t made[2], saved[2];
    CK(cudaStreamCreate(&rec));
    for (int k = 0; k < 2; k++) {
        CK(cudaEventCreateWithFlags(&made[k], cudaEventDisableTiming));
        CK(cudaEventCreateWithFlags(&saved[k], cudaEventDisableTiming));
    }
#endif
    begin<<<n / 256, 256, 0, sim>>>(buf[0], n);
    CK(cudaGetLastError());
    int cur = 0;
    for (int f = 0; f < frames; f++) {
        int to = 1 - cur;
#ifdef GOOD
        if (f >= 2) CK(cudaStreamWaitEvent(sim, saved[to], 0));          // its old frame must be out
        evolve_sites<<<n / 256, 256, 0, sim>>>(buf[cur], buf[to], n, inner);
        CK(cudaGetLastError());
        CK(cudaEventRecord(made[to], sim));
        CK(cudaStreamWaitEvent(rec, made[to], 0));
        CK(cudaMemcpyAsync(ring + (size_t)(f % FRAMES) * n, buf[to], bytes, cudaMemcpyDeviceToHost, rec));
        CK(cudaEventRecord(saved[to], rec));
#else
        evolve_sites<<<n / 256, 256, 0, sim>>>(buf[cur], buf[to], n, inner);
        CK(cudaGetLastError());
        CK(cudaMemcpyAsync(ring + (size_t)(f % FRAMES) * n, buf[to], bytes, cudaMemcpyDeviceToHost, sim));
#endif
        cur = to;
    }
    CK(cudaDeviceSynchronize());

    // the last frame must follow from the one before it
    bool ok = frames > 0;
    if (frames > 1) {
        const float *p = ring + (size_t)((frames - 2) % FRAMES) * n, *q = ring + (size_t)((frames - 1) % FRAMES) * n;
        for (int i = 0; i < n; i += 4099) {
            float want = site(p[i ? i - 1 : n - 1], p[i], p[i + 1 < n ? i + 1 : 0], inner);
            if (fabsf(q[i] - want) > 1e-3f) ok = false;
        }
    }
    printf("%d frames, site 0 at %.5f\n", frames, ring[(size_t)((frames - 1) % FRAMES) * n]);
#ifdef GOOD
    for (int k = 0; k < 2; k++) { CK(cudaEventDestroy(made[k])); CK(cudaEventDestroy(saved[k])); }
    CK(cudaStreamDestroy(rec));
#endif
    CK(cudaStreamDestroy(sim));
    CK(cudaFreeHost(ring));
    CK(cudaFree(buf[0])); CK(cudaFree(buf[1]));
    return report(ok);
}
