// Diffusion U-Net: group normalisation (32 groups) of one activation map, statistics pass and scaling pass.
#include "common.h"

const int GROUPS = 32, PER = 1 << 20;

__global__ void activations(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 13;
    x[i] = (h & 0xffff) * (1.0f / 65536.0f) + 0.1f * (i >> 20);
}

// gridDim.y = groups; sums[2*g] = sum, sums[2*g+1] = sum of squares
__global__ void group_stats(const float *__restrict__ x, double *sums, int per)
{
    const float *g = x + (size_t)blockIdx.y * per;
    float s = 0, q = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < per; i += gridDim.x * blockDim.x) {
        float v = g[i];
        s += v;
        q += v * v;
    }
    __shared__ float ps[32], pq[32];
    for (int o = 16; o; o >>= 1) {
        s += __shfl_down_sync(0xffffffffu, s, o);
        q += __shfl_down_sync(0xffffffffu, q, o);
    }
    if ((threadIdx.x & 31) == 0) { ps[threadIdx.x >> 5] = s; pq[threadIdx.x >> 5] = q; }
    __syncthreads();
    if (threadIdx.x == 0) {
        double a = 0, b = 0;
        for (int w = 0; w < (int)(blockDim.x >> 5); w++) { a += ps[w]; b += pq[w]; }
        atomicAdd(sums + 2 * blockIdx.y, a);
        atomicAdd(sums + 2 * blockIdx.y + 1, b);
    }
}

__global__ void group_apply(const float4 *__restrict__ x, float4 *__restrict__ y, const double *__restrict__ sums,
                            int per, float gamma, float beta)
{
    const double *g = sums + 2 * blockIdx.y;
    float mean = (float)(g[0] / per), var = (float)(g[1] / per) - mean * mean;
    float k = gamma * rsqrtf(var + 1e-5f), c = beta - mean * k;
    size_t base = (size_t)blockIdx.y * (per / 4);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < per / 4; i += gridDim.x * blockDim.x) {
        float4 v = x[base + i];
        y[base + i] = make_float4(v.x * k + c, v.y * k + c, v.z * k + c, v.w * k + c);
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 400;
    const int n = GROUPS * PER;
    float *x, *y;
    double *sums;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&y, n * sizeof(float)));
    CK(cudaMalloc(&sums, GROUPS * 2 * sizeof(double)));
    activations<<<n / 256, 256>>>(x, n);
    CK(cudaGetLastError());
#ifdef GOOD
    dim3 stats_grid(32, GROUPS);
#else
    dim3 stats_grid(1, GROUPS);
#endif
    for (int s = 0; s < steps; s++) {
        CK(cudaMemsetAsync(sums, 0, GROUPS * 2 * sizeof(double)));
        group_stats<<<stats_grid, 512>>>(x, sums, PER);
        group_apply<<<dim3(64, GROUPS), 256>>>((const float4 *)x, (float4 *)y, sums, PER, 1.5f, 0.25f);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hx(PER), hy(PER);
    bool ok = true;
    for (int g = 3; g < GROUPS; g += 20) {
        CK(cudaMemcpy(hx.data(), x + (size_t)g * PER, PER * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(hy.data(), y + (size_t)g * PER, PER * sizeof(float), cudaMemcpyDeviceToHost));
        double s = 0, q = 0;
        for (float v : hx) { s += v; q += (double)v * v; }
        double mean = s / PER, var = q / PER - mean * mean, k = 1.5 / sqrt(var + 1e-5);
        for (int i = 0; i < PER; i += 997)
            if (!close_to(hy[i], (hx[i] - mean) * k + 0.25, 5e-3)) ok = false;
    }
    CK(cudaFree(x)); CK(cudaFree(y)); CK(cudaFree(sums));
    return report(ok);
}
