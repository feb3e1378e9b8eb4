// Astronomy: flux of black-body stars through a passband of 24 wavelengths, for a catalogue of effective temperatures
// and radii.
//   bandflux [passbands]
#include "common.h"

const int N = 1 << 22, WAVES = 24;
#ifdef GOOD
typedef float real;
#else
typedef double real;
#endif

__device__ static inline float growth(float x) { return __expf(x); }
__device__ static inline double growth(double x) { return exp(x); }
__device__ static inline float over(float a, float b) { return __fdividef(a, b); }
__device__ static inline double over(double a, double b) { return a / b; }

__constant__ real hc[WAVES], scale[WAVES];        // h c / (lambda k) in K; filter times 2 h c^2 / lambda^5

__host__ __device__ static inline float2 star(int i)
{
    unsigned h = (unsigned)i * 2654435761u; h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 13;
    return make_float2(3000.0f + 3.0f * (float)(h & 8191u), 0.2f + 0.01f * (float)(h >> 16 & 1023u));
}

__global__ void observe(float2 *stars)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    stars[i] = star(i);
}

__global__ void passband(const float2 *__restrict__ stars, float *__restrict__ flux)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 s = stars[i];
    real sum = 0, invt = over(real(1), real(s.x));
#pragma unroll 4
    for (int w = 0; w < WAVES; w++) sum += over(scale[w], growth(hc[w] * invt) - real(1));
    flux[i] = (float)(sum * real(s.y) * real(s.y));
}

int main(int argc, char **argv)
{
    int bands = argc > 1 ? atoi(argv[1]) : 1500;
    real h[WAVES], f[WAVES];
    for (int w = 0; w < WAVES; w++) {
        double lambda = 0.40 + 0.012 * w, u = (w - 11.5) / 12;      // micrometres
        h[w] = (real)(14387.77 / lambda);
        f[w] = (real)((1 - u * u) / pow(lambda, 5));
    }
    CK(cudaMemcpyToSymbol(hc, h, sizeof h));
    CK(cudaMemcpyToSymbol(scale, f, sizeof f));
    float2 *stars;
    float *flux;
    CK(cudaMalloc(&stars, (size_t)N * sizeof(float2)));
    CK(cudaMalloc(&flux, (size_t)N * sizeof(float)));
    observe<<<N / 256, 256>>>(stars);
    for (int b = 0; b < bands; b++) passband<<<N / 256, 256>>>(stars, flux);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> got(N);
    CK(cudaMemcpy(got.data(), flux, (size_t)N * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    double worst = 0;
    for (int i = 9; i < N; i += 2011) {
        float2 s = star(i);
        double sum = 0;
        for (int w = 0; w < WAVES; w++) sum += f[w] / (exp(h[w] / (double)s.x) - 1);
        sum *= (double)s.y * s.y;
        worst = std::max(worst, fabs(got[i] - sum) / sum);
    }
    ok = worst < 2e-4;
    printf("largest relative difference %.1e\n", worst);
    return report(ok);
}
