// Leaf gas exchange: photosynthesis and stomatal conductance of four million canopy cells over a growing season,
// hour by hour, in one launch.
#include "common.h"

static const int CELLS = 4 * 1024 * 1024;

#ifdef GOOD
#define C(x) x##f
#else
#define C(x) x
#endif

static __host__ __device__ float vcmax_of(int i) { return 30.0f + 0.001f * (float)((i * 37) % 60000); }

__global__ void season(float *carbon, float *water, int hours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= CELLS) return;
    float vc = vcmax_of(i), gs = 0.2f, sum = 0.0f, used = 0.0f;
    for (int h = 0; h < hours; h++) {
        float hod = (float)(h % 24);
        float sun = fmaxf(0.0f, 1.0f - (hod - 12.0f) * (hod - 12.0f) * (1.0f / 36.0f));
        float temp = C(12.0) + C(14.0) * sun;
        float arr = exp(C(0.08) * (temp - C(25.0)));             // temperature response
        float vm = vc * arr;
        float ci = C(400.0) - C(25.0) / (gs + C(0.05));
        float wc = vm * (ci - C(42.0)) / (ci + C(710.0));
        float wj = C(120.0) * sun * (ci - C(42.0)) / (C(4.5) * ci + C(10.5));
        float b = wc + wj;
        float a = (b - sqrt(b * b - C(3.92) * wc * wj + C(1e-6))) / C(1.96);
        float target = C(0.02) + C(0.009) * a;
        gs = gs + C(0.3) * (target - gs);
        sum += C(0.0036) * a;
        used += C(0.0018) * gs * (C(1.2) + sun);
    }
    carbon[i] = sum;
    water[i] = used;
}

static void season_on_cpu(int i, int hours, double &sum, double &used)
{
    double vc = vcmax_of(i), gs = 0.2f;
    sum = used = 0;
    for (int h = 0; h < hours; h++) {
        double hod = h % 24, sun = fmax(0.0, 1.0 - (hod - 12) * (hod - 12) / 36.0);
        double arr = exp(0.08 * (12.0 + 14.0 * sun - 25.0)), vm = vc * arr;
        double ci = 400.0 - 25.0 / (gs + 0.05);
        double wc = vm * (ci - 42.0) / (ci + 710.0);
        double wj = 120.0 * sun * (ci - 42.0) / (4.5 * ci + 10.5);
        double b = wc + wj;
        double a = (b - sqrt(b * b - 3.92 * wc * wj + 1e-6)) / 1.96;
        gs += 0.3 * (0.02 + 0.009 * a - gs);
        sum += 0.0036 * a;
        used += 0.0018 * gs * (1.2 + sun);
    }
}

int main(int argc, char **argv)
{
    int hours = argc > 1 ? atoi(argv[1]) : 4392;
    float *carbon, *water;
    CK(cudaMalloc(&carbon, CELLS * sizeof(float)));
    CK(cudaMalloc(&water, CELLS * sizeof(float)));
    season<<<CELLS / 256, 256>>>(carbon, water, hours);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 1; i < CELLS; i += CELLS / 8) {
        float c, w;
        double rc, rw;
        CK(cudaMemcpy(&c, carbon + i, sizeof c, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&w, water + i, sizeof w, cudaMemcpyDeviceToHost));
        season_on_cpu(i, hours, rc, rw);
        ok = ok && close_to(c, rc, 5e-3) && close_to(w, rw, 5e-3);
    }
    cudaFree(carbon); cudaFree(water);
    return report(ok);
}
