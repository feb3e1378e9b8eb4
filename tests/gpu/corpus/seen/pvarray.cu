// Solar park: the maximum power point of every cell from its irradiance and temperature (single-diode model).
//   pvarray [minutes]
#include "common.h"

struct Cell { float sun, kelvin; };

__host__ __device__ static inline float ex(float x)
{
#ifdef __CUDA_ARCH__
    return __expf(x);
#else
    return expf(x);
#endif
}

__host__ __device__ static inline float power_at(float v, float light, float dark, float slope)
{
    float i = light;
    for (int k = 0; k < 5; k++) {
        float e = dark * ex(fminf((v + 0.006f * i) * slope, 40.0f));
        float f = light - (e - dark) - i, d = -e * 0.006f * slope - 1.0f;
#ifdef __CUDA_ARCH__
        i -= __fdividef(f, d);
#else
        i -= f / d;
#endif
    }
    return v * i;
}

__host__ __device__ static inline float best_power(Cell c)
{
    float light = 0.0087f * c.sun * (1 + 0.0005f * (c.kelvin - 298)), slope = 11604.5f / (1.2f * c.kelvin);
    float dark = 2e-8f * ex(0.07f * (c.kelvin - 298));
    float lo = 0.30f, hi = 0.72f, best = 0;
    for (int k = 0; k < 22; k++) {
        float a = lo + 0.381966f * (hi - lo), b = hi - 0.381966f * (hi - lo);
        float pa = power_at(a, light, dark, slope), pb = power_at(b, light, dark, slope);
        best = fmaxf(best, fmaxf(pa, pb));
        if (pa > pb) hi = b; else lo = a;
    }
    return best;
}

__global__ void track(const Cell *__restrict__ cells, float *__restrict__ watts, int n, float haze)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Cell c = cells[i];
        c.sun *= haze;
        watts[i] = best_power(c);
    }
}

int main(int argc, char **argv)
{
    int minutes = argc > 1 ? atoi(argv[1]) : 3000;
    const int n = 790123;
    std::vector<Cell> cells(n);
    unsigned seed = 77;
    for (Cell &c : cells) c = { 200 + 800 * frand(seed), 280 + 45 * frand(seed) };
    Cell *d;
    float *watts;
    CK(cudaMalloc(&d, n * sizeof(Cell)));
    CK(cudaMalloc(&watts, n * sizeof(float)));
    CK(cudaMemcpy(d, cells.data(), n * sizeof(Cell), cudaMemcpyHostToDevice));
#ifdef GOOD
    const int blocks = (n + 127) / 128;
#else
    const int blocks = 2 * 28;
#endif
    float haze = 1;
    for (int m = 0; m < minutes; m++) {
        haze = 0.9f + 0.1f * (m % 30) / 30.0f;
        track<<<blocks, 128>>>(d, watts, n, haze);
    }
    CK(cudaGetLastError());
    std::vector<float> h(n);
    CK(cudaMemcpy(h.data(), watts, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 3011) {
        Cell c = cells[i];
        c.sun *= haze;
        ok = ok && close_to(h[i], best_power(c), 5e-3);
    }
    double sum = 0;
    for (float w : h) sum += w;
    printf("park: %.1f kW\n", sum * 1e-3);
    CK(cudaFree(d)); CK(cudaFree(watts));
    return report(ok);
}
