// Minor planets: smallest distance to the Earth over a thousand nights, from orbital elements
// kept in single precision.  Kepler's equation is solved by Newton's method.
#include "common.h"

#ifdef GOOD
typedef float real;
#else
typedef double real;
#endif

const int NP = 2 << 20;

struct Elements { float e, m0, n, a; };

__host__ __device__ inline Elements catalogue(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    Elements o;
    o.e = 0.02f + (h & 0xff) * (0.3f / 256);
    o.m0 = ((h >> 8) & 0xff) * (6.28f / 256);
    o.n = 0.004f + ((h >> 16) & 0xff) * (0.008f / 256);
    o.a = 1.2f + (h >> 24) * (2.0f / 256);
    return o;
}

__global__ void read_catalogue(Elements *el)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    el[i] = catalogue(i);
}

template <class R> __host__ __device__ inline R night(const Elements &o, int day)
{
    const R tau = R(6.283185307179586);
    R M = o.m0 + R(o.n) * day;
    M -= tau * floor(M / tau);
    R ecc = o.e, E = M;
    for (int it = 0; it < 4; it++)
        E -= (E - ecc * sin(E) - M) / (R(1) - ecc * cos(E));
    R x = o.a * (cos(E) - ecc), y = o.a * sqrt(R(1) - ecc * ecc) * sin(E);
    R L = R(0.0172) * day;
    L -= tau * floor(L / tau);
    R dx = x - cos(L), dy = y - sin(L);
    return dx * dx + dy * dy;
}

__global__ void approaches(const Elements *__restrict__ el, float *__restrict__ closest, int days)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= NP) return;
    Elements o = el[i];
    real best = real(1e30);
    for (int d = 0; d < days; d++) {
        real q = night<real>(o, d);
        if (q < best) best = q;
    }
    closest[i] = (float)sqrt(best);
}

int main(int argc, char **argv)
{
    int surveys = argc > 1 ? atoi(argv[1]) : 1;
    const int days = 1000;
    Elements *el;
    float *closest;
    CK(cudaMalloc(&el, NP * sizeof(Elements)));
    CK(cudaMalloc(&closest, NP * sizeof(float)));
    read_catalogue<<<NP / 256, 256>>>(el);
    CK(cudaGetLastError());
    for (int s = 0; s < surveys; s++)
        approaches<<<NP / 256, 256>>>(el, closest, days);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> c(NP);
    CK(cudaMemcpy(c.data(), closest, NP * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 100; i < NP; i += 52561) {
        Elements o = catalogue(i);
        double best = 1e30;
        for (int d = 0; d < days; d++) best = std::min(best, night<double>(o, d));
        ok = ok && close_to(c[i], sqrt(best), 2e-3);
    }
    CK(cudaFree(el)); CK(cudaFree(closest));
    return report(ok);
}
