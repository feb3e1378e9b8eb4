// One-tap MMSE equaliser of a 5G base station: for every antenna and every resource
// element, x = conj(h) y / (|h|^2 + n0).  Grids are stored antenna by antenna.
#include "common.h"

const int NANT = 64;
const int NRE = 14 * 3276 * 4;      // resource elements of four slots
const int GX = 64, GY = 4;

__host__ __device__ inline float tone(unsigned a, unsigned k)
{
    unsigned h = a * 2654435761u ^ (k + 77u) * 2246822519u;
    h ^= h >> 15; h *= 2654435761u; h ^= h >> 13;
    return (float)(h & 0xffff) / 32768.0f - 1.0f;
}

__global__ void fill(float2 *y, float2 *h)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= (long)NANT * NRE) return;
    unsigned a = (unsigned)(i / NRE), k = (unsigned)(i % NRE);
    y[i] = make_float2(tone(a, k), tone(a + 100, k));
    h[i] = make_float2(tone(a + 200, k), tone(a + 300, k));
}

__global__ void equalise(const float2 *__restrict__ y, const float2 *__restrict__ h,
                         float2 *__restrict__ x, float n0)
{
#ifdef GOOD
    int re = blockIdx.x * GX + threadIdx.x;
    int ant = blockIdx.y * GY + threadIdx.y;
#else
    int ant = threadIdx.x;                          // one column of threads per antenna
    int re = blockIdx.x * GY + threadIdx.y;
#endif
    if (re >= NRE || ant >= NANT) return;
    long at = (long)ant * NRE + re;
    float2 r = y[at], c = h[at];
    float g = 1.0f / (c.x * c.x + c.y * c.y + n0);
    x[at] = make_float2((c.x * r.x + c.y * r.y) * g, (c.x * r.y - c.y * r.x) * g);
}

int main(int argc, char **argv)
{
    int slots = argc > 1 ? atoi(argv[1]) : 500;
    size_t n = (size_t)NANT * NRE;
    float2 *y, *h, *x;
    CK(cudaMalloc(&y, n * sizeof(float2)));
    CK(cudaMalloc(&h, n * sizeof(float2)));
    CK(cudaMalloc(&x, n * sizeof(float2)));
    fill<<<(unsigned)((n + 255) / 256), 256>>>(y, h);
    CK(cudaGetLastError());
    dim3 block(GX, GY);
#ifdef GOOD
    dim3 grid((NRE + GX - 1) / GX, NANT / GY);
#else
    dim3 grid((NRE + GY - 1) / GY);
#endif
    for (int s = 0; s < slots; s++)
        equalise<<<grid, block>>>(y, h, x, 0.05f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned seed = 5;
    for (int q = 0; q < 40; q++) {
        unsigned a = lcg(seed) % NANT, k = (lcg(seed) >> 4) % NRE;
        float2 got;
        CK(cudaMemcpy(&got, x + (size_t)a * NRE + k, sizeof got, cudaMemcpyDeviceToHost));
        double yr = tone(a, k), yi = tone(a + 100, k), hr = tone(a + 200, k), hi = tone(a + 300, k);
        double d = hr * hr + hi * hi + 0.05f;
        ok = ok && close_to(got.x, (hr * yr + hi * yi) / d, 1e-3) && close_to(got.y, (hr * yi - hi * yr) / d, 1e-3);
    }
    CK(cudaFree(y)); CK(cudaFree(h)); CK(cudaFree(x));
    return report(ok);
}
