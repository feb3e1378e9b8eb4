// Wet-bulb temperature over a weather field: from air temperature (deg C), relative humidity and pressure, by
// eight Newton steps on the psychrometric equation at every grid point.
#include "common.h"

#ifdef GOOD
typedef float real;
#else
typedef double real;
#endif

template <typename R> __host__ __device__ static inline R satpressure(R t)       // hPa, Bolton
{
    return R(6.112) * exp(R(17.67) * t / (t + R(243.5)));
}

template <typename R> __host__ __device__ static inline R wet(R t, R rh, R p)
{
    R e = rh * satpressure(t), g = R(6.62e-4) * p, tw = t - (R(1) - rh) * R(10);
    for (int k = 0; k < 8; k++) {
        R es = satpressure(tw), d = tw + R(243.5);
        R f = es - g * (t - tw) - e;
        R df = es * (R(17.67) * R(243.5) / (d * d)) + g;
        tw -= f / df;
    }
    return tw;
}

__host__ __device__ static inline float3 weather(unsigned i)
{
    unsigned a = i * 2654435761u; a ^= a >> 15; a *= 0x85ebca6bu; a ^= a >> 13;
    return make_float3(-5.0f + 40.0f * ((a >> 20) / 4096.0f), 0.1f + 0.9f * ((a >> 8 & 1023u) / 1024.0f),
                       950.0f + 80.0f * ((a & 255u) / 256.0f));
}

__global__ void observe(float *t, float *rh, float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 w = weather(i);
    t[i] = w.x; rh[i] = w.y; p[i] = w.z;
}

__global__ void wet_bulb(const float *__restrict__ t, const float *__restrict__ rh, const float *__restrict__ p,
                         float *__restrict__ tw, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tw[i] = (float)wet<real>(t[i], rh[i], p[i]);
}

int main(int argc, char **argv)
{
    int hours = argc > 1 ? atoi(argv[1]) : 168;
    const int n = argc > 2 ? atoi(argv[2]) : 3600 * 4500;
    float *t, *rh, *p, *tw;
    CK(cudaMalloc(&t, n * sizeof(float)));
    CK(cudaMalloc(&rh, n * sizeof(float)));
    CK(cudaMalloc(&p, n * sizeof(float)));
    CK(cudaMalloc(&tw, n * sizeof(float)));
    int blocks = (n + 255) / 256;
    observe<<<blocks, 256>>>(t, rh, p, n);
    CK(cudaGetLastError());
    for (int h = 0; h < hours; h++)
        wet_bulb<<<blocks, 256>>>(t, rh, p, tw, n);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(n);
    CK(cudaMemcpy(h.data(), tw, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    double worst = 0;
    for (int i = 7; i < n; i += n / 400) {
        float3 w = weather(i);
        worst = std::max(worst, fabs(h[i] - wet<double>(w.x, w.y, w.z)));
    }
    if (!(worst < 5e-3)) ok = false;
    printf("%d grid points, largest difference %.2e K\n", n, worst);
    CK(cudaFree(t)); CK(cudaFree(rh)); CK(cudaFree(p)); CK(cudaFree(tw));
    return report(ok);
}
