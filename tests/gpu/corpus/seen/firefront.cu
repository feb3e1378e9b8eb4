// Forest fire on a fine grid: heat spreads to the four neighbours and is carried by the wind, burning fuel
// above the ignition point feeds it.  Four cells per thread.   usage: firefront WIDTH HEIGHT STEPS
#include "common.h"

struct Fire { float spread, windx, ignition, burn, yield, loss; };

#ifdef GOOD
const int BX = 64, BY = 4;
#else
const int BX = 32, BY = 8;
#endif

__host__ __device__ static inline float burnt(float heat, float fuel, const Fire &f)
{
    return f.burn * fuel * fmaxf(0.0f, heat - f.ignition);
}

__host__ __device__ static inline float warm(float c, float w, float e, float n, float s, const Fire &f)
{
    return c + f.spread * (w + e + n + s - 4.0f * c) - f.windx * (c - w) - f.loss * c;
}

__global__ void spread(const float4 *__restrict__ heat, const float4 *__restrict__ fuel, float4 *__restrict__ heat2,
                       float4 *__restrict__ fuel2, int w4, int h, Fire f)
{
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    if (x >= w4 || y >= h) return;
    size_t i = (size_t)y * w4 + x;
    float4 c = heat[i], u = fuel[i];
    float4 n = y > 0 ? heat[i - w4] : c, s = y < h - 1 ? heat[i + w4] : c;
    const float *flat = (const float *)heat;
    float west = x > 0 ? flat[4 * i - 1] : c.x, east = x < w4 - 1 ? flat[4 * i + 4] : c.w;
    float4 b = make_float4(burnt(c.x, u.x, f), burnt(c.y, u.y, f), burnt(c.z, u.z, f), burnt(c.w, u.w, f));
    heat2[i] = make_float4(warm(c.x, west, c.y, n.x, s.x, f) + f.yield * b.x, warm(c.y, c.x, c.z, n.y, s.y, f) + f.yield * b.y,
                           warm(c.z, c.y, c.w, n.z, s.z, f) + f.yield * b.z, warm(c.w, c.z, east, n.w, s.w, f) + f.yield * b.w);
    fuel2[i] = make_float4(u.x - b.x, u.y - b.y, u.z - b.z, u.w - b.w);
}

__global__ void forest(float *heat, float *fuel, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w || y >= h) return;
    size_t i = (size_t)y * w + x;
    bool spark = (x >> 5) % 7 == 3 && (y >> 5) % 5 == 2;
    heat[i] = spark ? 4.0f : 0.1f;
    fuel[i] = 1.0f + 0.125f * (float)((x * 3 + y * 7) & 7);
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 8192;
    int h = argc > 2 ? atoi(argv[2]) : 6144;
    int steps = argc > 3 ? atoi(argv[3]) : 1800;
    w = std::max(8, w / 4 * 4);
    Fire f = {0.12f, 0.05f, 1.0f, 0.02f, 1.5f, 0.004f};
    size_t bytes = (size_t)w * h * sizeof(float);
    float *heat, *fuel, *heat2, *fuel2;
    CK(cudaMalloc(&heat, bytes));
    CK(cudaMalloc(&fuel, bytes));
    CK(cudaMalloc(&heat2, bytes));
    CK(cudaMalloc(&fuel2, bytes));
    forest<<<dim3((w + 255) / 256, h), 256>>>(heat, fuel, w, h);

    dim3 block(BX, BY), grid((w / 4 + BX - 1) / BX, (h + BY - 1) / BY);
    for (int t = 0; t < steps; t++) {
        spread<<<grid, block>>>((const float4 *)heat, (const float4 *)fuel, (float4 *)heat2, (float4 *)fuel2, w / 4, h, f);
        std::swap(heat, heat2);
        std::swap(fuel, fuel2);
    }
    CK(cudaGetLastError());

    // the last step again, on the CPU, along one row through the fires
    bool ok = true;
    int y = std::min(h - 2, 80);
    std::vector<float> old(3 * (size_t)w), fu(w), now(w), nowfu(w);
    CK(cudaMemcpy(old.data(), heat2 + (size_t)(y - 1) * w, 3 * w * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(fu.data(), fuel2 + (size_t)y * w, w * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(now.data(), heat + (size_t)y * w, w * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(nowfu.data(), fuel + (size_t)y * w, w * sizeof(float), cudaMemcpyDeviceToHost));
    double left = 0;
    for (int x = 0; x < w; x++) {
        const float *r = old.data() + w;
        float b = burnt(r[x], fu[x], f);
        float want = warm(r[x], x ? r[x - 1] : r[x], x < w - 1 ? r[x + 1] : r[x], old[x], old[2 * (size_t)w + x], f) + f.yield * b;
        if (!close_to(now[x], want, 1e-5) || !close_to(nowfu[x], fu[x] - b, 1e-5)) ok = false;
        left += nowfu[x];
    }
    printf("fuel left in this row: %.4f per cell\n", left / w);
    CK(cudaFree(heat)); CK(cudaFree(fuel)); CK(cudaFree(heat2)); CK(cudaFree(fuel2));
    return report(ok);
}
