// One-dimensional shallow water (dam break), Rusanov fluxes, time step from the fastest wave.
//   dambreak [steps]
#include "common.h"

const float G = 9.81f, DX = 1.0f, CFL = 0.45f;

__global__ void dam(float *h, float *hu, int n, float *wave)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) { wave[0] = sqrtf(G * 2.0f); wave[1] = wave[2] = 0; }
    if (i < n) { h[i] = i / (n / 8) % 2 ? 1.0f : 2.0f; hu[i] = 0; }
}

struct Flux { float m, p, a; };    // mass, momentum, wave speed of a cell

__device__ __forceinline__ Flux physical(float h, float hu)
{
    float u = __fdividef(hu, h);
    return {hu, hu * u + 0.5f * G * h * h, fabsf(u) + G * h * rsqrtf(G * h)};
}

// wave: three slots in turn: this step's speed, the next step's, one to clear.
__global__ void advance(const float *__restrict__ h, const float *__restrict__ hu, float *__restrict__ nh,
                        float *__restrict__ nhu, int n, float *wave, int step
#ifndef GOOD
                        , float dt
#endif
)
{
    __shared__ float part[8];
#ifdef GOOD
    float dt = CFL * DX / wave[step % 3];
#endif
    if (blockIdx.x == 0 && threadIdx.x == 0) wave[(step + 2) % 3] = 0;
    float top = 0, r = dt / DX;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int l = i == 0 ? 0 : i - 1, e = i == n - 1 ? i : i + 1;
        float hl = h[l], hc = h[i], hr = h[e], ul = hu[l], uc = hu[i], ur = hu[e];
        Flux fl = physical(hl, ul), fc = physical(hc, uc), fr = physical(hr, ur);
        float al = fmaxf(fl.a, fc.a), ar = fmaxf(fc.a, fr.a);
        float left_m = 0.5f * (fl.m + fc.m - al * (hc - hl)), left_p = 0.5f * (fl.p + fc.p - al * (uc - ul));
        float right_m = 0.5f * (fc.m + fr.m - ar * (hr - hc)), right_p = 0.5f * (fc.p + fr.p - ar * (ur - uc));
        nh[i] = hc - r * (right_m - left_m);
        nhu[i] = uc - r * (right_p - left_p);
        top = fmaxf(top, fc.a);
    }
    for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_down_sync(~0u, top, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = top;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++) top = fmaxf(top, part[k]);
        atomicMax((int *)&wave[(step + 1) % 3], __float_as_int(top));     // positive floats order as integers
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 20000;
    const int n = 132 * 256 * 64;
    float *h, *hu, *nh, *nhu, *wave;
    CK(cudaMalloc(&h, n * 4));
    CK(cudaMalloc(&hu, n * 4));
    CK(cudaMalloc(&nh, n * 4));
    CK(cudaMalloc(&nhu, n * 4));
    CK(cudaMalloc(&wave, 3 * 4));
    dam<<<(n + 255) / 256, 256>>>(h, hu, n, wave);
    CK(cudaGetLastError());
    for (int s = 0; s < steps; s++) {
#ifndef GOOD
        float fastest;
        CK(cudaMemcpy(&fastest, wave + s % 3, 4, cudaMemcpyDeviceToHost));
        float dt = CFL * DX / fastest;
        advance<<<132 * 8, 256>>>(h, hu, nh, nhu, n, wave, s, dt);
#else
        advance<<<132 * 8, 256>>>(h, hu, nh, nhu, n, wave, s);
#endif
        CK(cudaGetLastError());
        std::swap(h, nh);
        std::swap(hu, nhu);
    }
    std::vector<float> r(n);
    CK(cudaMemcpy(r.data(), h, n * 4, cudaMemcpyDeviceToHost));
    double sum = 0, sq = 0;
    for (float x : r) { sum += x; sq += x * x; }
    printf("mean depth %.4f, mean square %.4f\n", sum / n, sq / n);
    return report(fabs(sum / n - 1.5) < 0.05);
}
