// Potential density along a hydrographic section: potential temperature by four stages of the
// adiabatic lapse rate (Bryden, Fofonoff), then the equation of state of sea water (EOS-80) at a
// reference level; at the end the inversions of each cast are counted.
#include "common.h"

#ifndef SAMPLES
#define SAMPLES (1 << 25)
#endif
#ifdef GOOD
typedef float real;
#else
typedef double real;
#endif
const int CAST = 4096;                 // samples of one cast, 1.25 dbar apart

__device__ inline float scatter(unsigned k)
{
    k *= 2654435761u; k ^= k >> 15; k *= 2246822519u; k ^= k >> 13;
    return (k >> 8) * (1.0f / 16777216.0f) - 0.5f;
}

__global__ void section(float *temp, float *salt, float *pres)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float p = 1.25f * (i % CAST);
    pres[i] = p;
    temp[i] = 2.0f + 21.0f * expf(-p / 700.0f) + 0.2f * scatter(2 * i);
    salt[i] = 34.7f + 1.1f * expf(-p / 400.0f) + 0.05f * scatter(2 * i + 1);
}

// degrees per decibar
template <typename R> __host__ __device__ inline R lapse(R s, R t, R p)
{
    R ds = s - R(35);
    return (((R(-2.1687e-16) * t + R(1.8676e-14)) * t - R(4.6206e-13)) * p
          + ((R(2.7759e-12) * t - R(1.1351e-10)) * ds
          + ((R(-5.4481e-14) * t + R(8.733e-12)) * t - R(6.7795e-10)) * t + R(1.8741e-8))) * p
          + (R(-4.2393e-8) * t + R(1.8932e-6)) * ds
          + ((R(6.6228e-10) * t - R(6.836e-8)) * t + R(8.5258e-6)) * t + R(3.5803e-5);
}

template <typename R> __host__ __device__ inline R theta(R s, R t, R p, R pref)
{
    R h = pref - p, k = h * lapse(s, t, p), q = k;
    t += R(0.5) * k;
    p += R(0.5) * h;
    k = h * lapse(s, t, p);
    t += R(0.29289322) * (k - q);
    q = R(0.58578644) * k + R(0.121320344) * q;
    k = h * lapse(s, t, p);
    t += R(1.707106781) * (k - q);
    q = R(3.414213562) * k - R(4.121320344) * q;
    p += R(0.5) * h;
    k = h * lapse(s, t, p);
    return t + (k - R(2) * q) * R(1.0 / 6.0);
}

// density less 1000 kg per cubic metre; pressure in bar
template <typename R> __host__ __device__ inline R density(R s, R t, R p)
{
    R s32 = s * sqrt(s);
    R pure = ((((R(6.536332e-9) * t - R(1.120083e-6)) * t + R(1.001685e-4)) * t - R(9.095290e-3)) * t
             + R(6.793952e-2)) * t - R(0.157406);
    R a = (((R(5.3875e-9) * t - R(8.2467e-7)) * t + R(7.6438e-5)) * t - R(4.0899e-3)) * t + R(8.24493e-1);
    R b = (R(-1.6546e-6) * t + R(1.0227e-4)) * t - R(5.72466e-3);
    R rho = pure + a * s + b * s32 + R(4.8314e-4) * s * s;
    R k0 = (((R(-5.155288e-5) * t + R(1.360477e-2)) * t - R(2.327105)) * t + R(148.4206)) * t + R(19652.21);
    k0 += s * (((R(-6.1670e-5) * t + R(1.09987e-2)) * t - R(0.603459)) * t + R(54.6746));
    k0 += s32 * ((R(-5.3009e-4) * t + R(1.6483e-2)) * t + R(7.944e-2));
    R ka = ((R(-5.77905e-7) * t + R(1.16092e-4)) * t + R(1.43713e-3)) * t + R(3.239908);
    ka += s * ((R(-1.6078e-6) * t - R(1.0981e-5)) * t + R(2.2838e-3)) + R(1.91075e-4) * s32;
    R kb = (R(5.2787e-8) * t - R(6.12293e-6)) * t + R(8.50935e-5);
    kb += s * ((R(9.1697e-10) * t + R(2.0816e-8)) * t - R(9.9348e-7));
    R k = k0 + (ka + kb * p) * p;
    return (rho * k + R(1000) * p) / (k - p);
}

__global__ void __launch_bounds__(256) sigma(const float *__restrict__ temp, const float *__restrict__ salt,
                                             const float *__restrict__ pres, float *__restrict__ out, float pref)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    real s = salt[i], t = temp[i], p = pres[i], level = pref;
    real th = theta(s, t, p, level);
    out[i] = density(s, th, level * real(0.1));
}

__global__ void inversions(const float *__restrict__ sig, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool turned = i % CAST && sig[i] < sig[i - 1];
    int n = __syncthreads_count(turned);
    if (threadIdx.x == 0 && n) atomicAdd(count + i / CAST, n);
}

int main(int argc, char **argv)
{
    int levels = argc > 1 ? atoi(argv[1]) : 4500;
    const int n = SAMPLES, casts = n / CAST;
    float *temp, *salt, *pres, *sig;
    int *count;
    CK(cudaMalloc(&temp, n * sizeof(float)));
    CK(cudaMalloc(&salt, n * sizeof(float)));
    CK(cudaMalloc(&pres, n * sizeof(float)));
    CK(cudaMalloc(&sig, n * sizeof(float)));
    CK(cudaMalloc(&count, casts * sizeof(int)));
    CK(cudaMemset(count, 0, casts * sizeof(int)));
    section<<<n / 256, 256>>>(temp, salt, pres);
    float pref = 0;
    for (int r = 0; r < levels; r++) {
        pref = 1000.0f * (r % 5);
        sigma<<<n / 256, 256>>>(temp, salt, pres, sig, pref);
    }
    inversions<<<n / 256, 256>>>(sig, count);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned seed = 8;
    for (int t = 0; t < 80; t++) {
        int i = (int)(frand(seed) * (n - 1));
        float s, w, p, got;
        CK(cudaMemcpy(&s, salt + i, sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&w, temp + i, sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&p, pres + i, sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&got, sig + i, sizeof(float), cudaMemcpyDeviceToHost));
        double th = theta<double>(s, w, p, pref);
        ok = ok && close_to(got, density<double>(s, th, 0.1 * pref), 1e-3) && got > 15 && got < 60;
    }
    std::vector<int> h(casts);
    CK(cudaMemcpy(h.data(), count, casts * sizeof(int), cudaMemcpyDeviceToHost));
    printf("first cast: %d inversions of %d\n", h[0], CAST - 1);
    ok = ok && h[0] > 0 && h[0] < CAST;
    CK(cudaFree(temp)); CK(cudaFree(salt)); CK(cudaFree(pres)); CK(cudaFree(sig)); CK(cudaFree(count));
    return report(ok);
}
