// Colour of a woven cloth: at each crossing four yarn layers shine through, each as much as its weight says.
// usage: yarnblend crossings repetitions
#include "common.h"

#ifdef GOOD
typedef float4 pack;
__device__ inline pack blend(pack a, pack b, pack c, pack d, float4 w)
{
    return make_float4(a.x * w.x + b.x * w.y + c.x * w.z + d.x * w.w, a.y * w.x + b.y * w.y + c.y * w.z + d.y * w.w,
                       a.z * w.x + b.z * w.y + c.z * w.z + d.z * w.w, a.w * w.x + b.w * w.y + c.w * w.z + d.w * w.w);
}
#else
typedef float2 pack;
__device__ inline pack blend(pack a, pack b, pack c, pack d, float4 w)
{
    return make_float2(a.x * w.x + b.x * w.y + c.x * w.z + d.x * w.w, a.y * w.x + b.y * w.y + c.y * w.z + d.y * w.w);
}
#endif
#define WIDE ((int)(sizeof(pack) / sizeof(float)))

__host__ __device__ inline float yarn(unsigned layer, unsigned i)
{
    unsigned h = (i + layer * 77777777u) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 14;
    return (float)(h & 4095) * (1.0f / 4096.0f);
}

__global__ void spin(float *y, int layer, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = yarn(layer, i);
}

__global__ void __launch_bounds__(256) weave(const pack *__restrict__ a, const pack *__restrict__ b, const pack *__restrict__ c,
                                             const pack *__restrict__ d, pack *__restrict__ cloth, float4 w, int packs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < packs) cloth[i] = blend(a[i], b[i], c[i], d[i], w);
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 33554432) / 4 * 4, reps = argc > 2 ? atoi(argv[2]) : 5000;
    float *layer[4], *cloth;
    for (int l = 0; l < 4; ++l) {
        CK(cudaMalloc(&layer[l], n * sizeof(float)));
        spin<<<(n + 255) / 256, 256>>>(layer[l], l, n);
    }
    CK(cudaMalloc(&cloth, n * sizeof(float)));
    float4 w = make_float4(0, 0, 0, 0);
    const int packs = n / WIDE;
    for (int r = 0; r < reps; ++r) {
        w = make_float4(0.4f, 0.3f, 0.2f + 0.01f * (float)(r % 7), 0.1f);
        weave<<<(packs + 255) / 256, 256>>>((const pack *)layer[0], (const pack *)layer[1], (const pack *)layer[2],
                                            (const pack *)layer[3], (pack *)cloth, w, packs);
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), cloth, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < n; i += 997)
        ok = ok && close_to(got[i], yarn(0, i) * w.x + yarn(1, i) * w.y + yarn(2, i) * w.z + yarn(3, i) * w.w, 1e-5);
    printf("first crossing %.4f, last %.4f\n", got[0], got[n - 1]);
    for (int l = 0; l < 4; ++l) CK(cudaFree(layer[l]));
    CK(cudaFree(cloth));
    return report(ok);
}
