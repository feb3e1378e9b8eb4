// Inviscid Burgers equation on a ring with the largest stable time step (CFL): the
// fastest cell decides how far each step goes.
#include "common.h"

#define CFL 0.4f

__global__ void start(float *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] = 1.0f + 0.5f * sinf(6.2831853f * 1024 * i / n);
}

__global__ void fastest(const float *__restrict__ u, int n, int *vmax)
{
    float m = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        m = fmaxf(m, fabsf(u[i]));
    int k = __reduce_max_sync(0xffffffffu, __float_as_int(m));
    __shared__ int s[32];
    if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = k;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) k = max(k, s[w]);
        atomicMax(vmax, k);
    }
}

__device__ __forceinline__ float godunov(float l, float r)
{
    float a = fmaxf(l, 0.f), b = fminf(r, 0.f);
    return fmaxf(0.5f * a * a, 0.5f * b * b);
}

// dtdx < 0: take the step from the speed that is on the device
__global__ void advance(const float *__restrict__ u, float *__restrict__ v, int n, const int *vmax, float dtdx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (dtdx < 0.f) dtdx = CFL / __int_as_float(*vmax);
    float c = u[i], l = u[i ? i - 1 : n - 1], r = u[i + 1 < n ? i + 1 : 0];
    v[i] = c - dtdx * (godunov(c, r) - godunov(l, c));
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 2000;
    const int n = 1 << 21;
    float *u, *v;
    int *vmax;
    CK(cudaMalloc(&u, n * 4));
    CK(cudaMalloc(&v, n * 4));
    CK(cudaMalloc(&vmax, 4));
    start<<<n / 256, 256>>>(u, n);
    std::vector<float> h(n);
    CK(cudaMemcpy(h.data(), u, n * 4, cudaMemcpyDeviceToHost));
    double mass0 = 0, energy0 = 0;
    for (float x : h) { mass0 += x; energy0 += x * x; }
    for (int s = 0; s < steps; s++) {
        CK(cudaMemsetAsync(vmax, 0, 4));
        fastest<<<264, 512>>>(u, n, vmax);
        float dtdx = -1.f;
#ifndef GOOD
        int bits;
        CK(cudaMemcpy(&bits, vmax, 4, cudaMemcpyDeviceToHost));
        float speed;
        memcpy(&speed, &bits, 4);
        dtdx = CFL / speed;
#endif
        advance<<<n / 256, 256>>>(u, v, n, vmax, dtdx);
        std::swap(u, v);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), u, n * 4, cudaMemcpyDeviceToHost));
    double mass = 0, energy = 0;
    float lo = 9, hi = -9;
    for (float x : h) {
        mass += x;
        energy += x * x;
        lo = std::min(lo, x);
        hi = std::max(hi, x);
    }
    bool ok = close_to(mass, mass0, 1e-3) && energy < energy0 && lo > 0.49f && hi < 1.51f;
    CK(cudaFree(u)); CK(cudaFree(v)); CK(cudaFree(vmax));
    return report(ok);
}
