// Film-like tone curve on nearly half a gigapixel of linear RGBA, a few passes:
// exposure, filmic shoulder, lift of the shadows, luma-preserving saturation.
#include "common.h"

#ifdef GOOD
#define THREADS 512
#else
#define THREADS 256
#endif

struct Look { float exposure, shoulder, lift, sat; };

__host__ __device__ inline float curve(float x, Look k)
{
    x = fmaxf(x * k.exposure + k.lift, 0.0f);           // saturated colours may be negative
    return x * (1.0f + x * k.shoulder) / (1.0f + x);
}

__host__ __device__ inline float4 graded(float4 p, Look k)
{
    float r = curve(p.x, k), g = curve(p.y, k), b = curve(p.z, k);
    float y = 0.2126f * r + 0.7152f * g + 0.0722f * b;
    return make_float4(y + k.sat * (r - y), y + k.sat * (g - y), y + k.sat * (b - y), p.w);
}

__global__ void shoot(float4 *img, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned s = (unsigned)i * 2654435761u;
        s ^= s >> 15;
        img[i] = make_float4((s & 255) / 255.0f, (s >> 8 & 255) / 255.0f, (s >> 16 & 255) / 255.0f, 1.0f);
    }
}

__global__ void __launch_bounds__(THREADS) grade(float4 *img, size_t n, Look k)
{
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    if (i < n) img[i] = graded(img[i], k);
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 12;
    const size_t n = (size_t)448 << 20;                 // 7 GB
    Look k = { 1.4f, 0.25f, 0.01f, 1.1f };
    float4 *img;
    CK(cudaMalloc(&img, n * sizeof(float4)));
    shoot<<<132 * 8, 256>>>(img, n);
    CK(cudaGetLastError());

    const int some = 1000;
    std::vector<float4> h0(some), h1(some);
    CK(cudaMemcpy(h0.data(), img + n - some, some * sizeof(float4), cudaMemcpyDeviceToHost));
    for (int p = 0; p < passes; p++)
        grade<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS>>>(img, n, k);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h1.data(), img + n - some, some * sizeof(float4), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < some; i++) {
        float4 p = h0[i];
        for (int q = 0; q < passes; q++) p = graded(p, k);
        if (!close_to(h1[i].x, p.x, 1e-3) || !close_to(h1[i].y, p.y, 1e-3) || !close_to(h1[i].z, p.z, 1e-3)) ok = false;
    }
    printf("last pixel %g %g %g\n", h1[some - 1].x, h1[some - 1].y, h1[some - 1].z);
    CK(cudaFree(img));
    return report(ok);
}
