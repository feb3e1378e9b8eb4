// Hydrography: potential density of float profiles referred to five pressures (equation of state EOS-80,
// adiabatic moves by Runge and Kutta with Bryden's lapse rate).
//   sigmalevels [cruises]
#include "common.h"

__host__ __device__ __forceinline__ float ratio(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fdividef(a, b);
#else
    return a / b;
#endif
}
__host__ __device__ __forceinline__ double ratio(double a, double b) { return a / b; }

template <typename R> __host__ __device__ __forceinline__ R lapse(R ds, R t, R p)
{
    return (((R(-2.1687e-16) * t + R(1.8676e-14)) * t - R(4.6206e-13)) * p
            + ((R(2.7759e-12) * t - R(1.1351e-10)) * ds + ((R(-5.4481e-14) * t + R(8.733e-12)) * t - R(6.7795e-10)) * t + R(1.8741e-8))) * p
           + (R(-4.2393e-8) * t + R(1.8932e-6)) * ds + ((R(6.6228e-10) * t - R(6.836e-8)) * t + R(8.5258e-6)) * t + R(3.5803e-5);
}

template <typename R> __host__ __device__ __forceinline__ R moved(R s, R t, R p, R to)
{
    R h = to - p, ds = s - R(35), m = p + R(0.5) * h;
    R a = h * lapse(ds, t, p), b = h * lapse(ds, t + R(0.5) * a, m);
    R c = h * lapse(ds, t + R(0.5) * b, m), d = h * lapse(ds, t + c, to);
    return t + (a + R(2) * (b + c) + d) * R(1.0 / 6.0);
}

template <typename R> __host__ __device__ __forceinline__ R sigma(R s, R s15, R t, R bar)
{
    R w = R(-0.157406) + (R(6.793952e-2) + (R(-9.095290e-3) + (R(1.001685e-4) + (R(-1.120083e-6) + R(6.536332e-9) * t) * t) * t) * t) * t;
    R excess = w + (R(0.824493) + (R(-4.0899e-3) + (R(7.6438e-5) + (R(-8.2467e-7) + R(5.3875e-9) * t) * t) * t) * t) * s
               + (R(-5.72466e-3) + (R(1.0227e-4) - R(1.6546e-6) * t) * t) * s15 + R(4.8314e-4) * s * s;
    R k = R(19652.21) + (R(148.4206) + (R(-2.327105) + (R(1.360477e-2) - R(5.155288e-5) * t) * t) * t) * t
          + (R(54.6746) + (R(-0.603459) + (R(1.09987e-2) - R(6.1670e-5) * t) * t) * t) * s
          + (R(7.944e-2) + (R(1.6483e-2) - R(5.3009e-4) * t) * t) * s15;
    R a = R(3.239908) + (R(1.43713e-3) + (R(1.16092e-4) - R(5.77905e-7) * t) * t) * t
          + (R(2.2838e-3) + (R(-1.0981e-5) - R(1.6078e-6) * t) * t) * s + R(1.91075e-4) * s15;
    R b = R(8.50935e-5) + (R(-6.12293e-6) + R(5.2787e-8) * t) * t + (R(-9.9348e-7) + (R(2.0816e-8) + R(9.1697e-10) * t) * t) * s;
    R secant = k + (a + b * bar) * bar;
    return excess + ratio((excess + R(1000)) * bar, secant - bar);
}

template <typename R> __host__ __device__ __forceinline__ void levels(float temp, float salt, float dbar, float out[5])
{
    R s = salt, t = temp, p = dbar, s15 = s * sqrt(s);
#pragma unroll
    for (int l = 0; l < 5; l++) {
        R ref = R(1000) * l;
        out[l] = (float)sigma<R>(s, s15, moved<R>(s, t, p, ref), ref * R(0.1));
    }
}

#ifdef GOOD
typedef float real;
#else
typedef double real;
#endif

__global__ void refer(const float *__restrict__ temp, const float *__restrict__ salt, float *__restrict__ out, int n, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float o[5];
    levels<real>(temp[i], salt[i], step * (i & 1023), o);
#pragma unroll
    for (int l = 0; l < 5; l++) out[(size_t)l * n + i] = o[l];
}

int main(int argc, char **argv)
{
    int cruises = argc > 1 ? atoi(argv[1]) : 1500;
    const int n = 18000300;
    std::vector<float> temp(n), salt(n), h((size_t)n * 5);
    unsigned seed = 8;
    for (int i = 0; i < n; i++) { temp[i] = 1 + 24 * frand(seed); salt[i] = 33 + 4 * frand(seed); }
    float *t, *s, *o;
    CK(cudaMalloc(&t, n * sizeof(float)));
    CK(cudaMalloc(&s, n * sizeof(float)));
    CK(cudaMalloc(&o, h.size() * sizeof(float)));
    CK(cudaMemcpy(t, temp.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(s, salt.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    for (int c = 0; c < cruises; c++) refer<<<(n + 255) / 256, 256>>>(t, s, o, n, 5.0f);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), o, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 17011) {
        float want[5];
        levels<double>(temp[i], salt[i], 5.0f * (i & 1023), want);
        for (int l = 0; l < 5; l++) ok = ok && fabs(h[(size_t)l * n + i] - want[l]) < 5e-3;
    }
    printf("sigma-2 of the first: %.3f\n", h[(size_t)2 * n]);
    cudaFree(t); cudaFree(s); cudaFree(o);
    return report(ok);
}
