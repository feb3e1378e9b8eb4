// Long-wave radiation of a coarse weather model: for every column and every g-point of the absorption spectrum
// the flux goes down through all levels to the ground and up again; the weighted fluxes are summed over the steps.
// usage: gpointflux columns steps
#include "common.h"

#define LEVELS 64
#define GPOINTS 112
#define AT_ONCE 8            // g-points that a thread follows together
#ifdef GOOD
#define SLICES (GPOINTS / AT_ONCE)
#else
#define SLICES 1
#endif

__constant__ float absorb[GPOINTS], weight[GPOINTS];

__global__ void __launch_bounds__(128, 4) long_wave(const float *__restrict__ path, const float *__restrict__ planck,
                                                 float *__restrict__ ground, float *__restrict__ space, int columns,
                                                 float moist)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    float down = 0.0f, up = 0.0f;
    const int from = blockIdx.y * (GPOINTS / SLICES);
    for (int g = from; g < from + GPOINTS / SLICES; g += AT_ONCE) {
        float k[AT_ONCE], f[AT_ONCE];
        #pragma unroll
        for (int j = 0; j < AT_ONCE; ++j) { k[j] = -1.4426950f * absorb[g + j] * moist; f[j] = 0.0f; }
        #pragma unroll 4
        for (int l = 0; l < LEVELS; ++l) {
            float p = path[l * columns + c], b = planck[l * columns + c];
            #pragma unroll
            for (int j = 0; j < AT_ONCE; ++j) f[j] = b + exp2f(k[j] * p) * (f[j] - b);
        }
        const float soil = 0.98f * planck[(LEVELS - 1) * columns + c];
        #pragma unroll
        for (int j = 0; j < AT_ONCE; ++j) { down += weight[g + j] * f[j]; f[j] = 0.02f * f[j] + soil; }
        #pragma unroll 4
        for (int l = LEVELS - 1; l >= 0; --l) {
            float p = path[l * columns + c], b = planck[l * columns + c];
            #pragma unroll
            for (int j = 0; j < AT_ONCE; ++j) f[j] = b + exp2f(k[j] * p) * (f[j] - b);
        }
        #pragma unroll
        for (int j = 0; j < AT_ONCE; ++j) up += weight[g + j] * f[j];
    }
    ground[blockIdx.y * columns + c] += down;
    space[blockIdx.y * columns + c] += up;
}

static float moistureOf(int step) { return 0.8f + 0.4f * (float)(step * 37 % 101) / 101.0f; }

int main(int argc, char **argv)
{
    const int columns = argc > 1 ? atoi(argv[1]) : 8192, steps = argc > 2 ? atoi(argv[2]) : 8000;
    std::vector<float> path((size_t)columns * LEVELS), planck(path.size()), ab(GPOINTS), wt(GPOINTS);
    unsigned s = 77;
    double sum = 0;
    for (int g = 0; g < GPOINTS; ++g) {
        ab[g] = expf(-6.0f + 9.0f * (g + 0.5f) / GPOINTS);
        wt[g] = 0.2f + frand(s);
        sum += wt[g];
    }
    for (float &w : wt) w /= (float)sum;
    for (int l = 0; l < LEVELS; ++l)
        for (int c = 0; c < columns; ++c) {
            path[(size_t)l * columns + c] = (0.002f + 0.05f * expf(-0.08f * (LEVELS - 1 - l))) * (0.7f + 0.6f * frand(s));
            planck[(size_t)l * columns + c] = 120.0f + 4.0f * l + 20.0f * frand(s);
        }
    float *dpath, *dplanck, *dground, *dspace;
    const size_t sums = (size_t)columns * SLICES;
    CK(cudaMalloc(&dpath, path.size() * sizeof(float)));
    CK(cudaMalloc(&dplanck, path.size() * sizeof(float)));
    CK(cudaMalloc(&dground, sums * sizeof(float)));
    CK(cudaMalloc(&dspace, sums * sizeof(float)));
    CK(cudaMemset(dground, 0, sums * sizeof(float)));
    CK(cudaMemset(dspace, 0, sums * sizeof(float)));
    CK(cudaMemcpy(dpath, path.data(), path.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dplanck, planck.data(), path.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(absorb, ab.data(), GPOINTS * sizeof(float)));
    CK(cudaMemcpyToSymbol(weight, wt.data(), GPOINTS * sizeof(float)));
    const dim3 grid((columns + 127) / 128, SLICES);
    for (int k = 0; k < steps; ++k)
        long_wave<<<grid, 128>>>(dpath, dplanck, dground, dspace, columns, moistureOf(k));
    CK(cudaGetLastError());
    std::vector<float> ground(sums), space(sums);
    CK(cudaMemcpy(ground.data(), dground, sums * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(space.data(), dspace, sums * sizeof(float), cudaMemcpyDeviceToHost));

    // on the CPU the 101 different steps of a few columns, each as often as it came
    bool ok = true;
    const int different = std::min(steps, 101);
    for (int q = 0; q < 3; ++q) {
        int c = (int)((long long)q * (columns - 1) / 2);
        double down = 0, up = 0, gd = 0, gu = 0;
        for (int k = 0; k < different; ++k) {
            int times = steps / 101 + (k < steps % 101);
            for (int g = 0; g < GPOINTS; ++g) {
                double f = 0;
                for (int l = 0; l < LEVELS; ++l) {
                    double t = exp(-ab[g] * moistureOf(k) * path[(size_t)l * columns + c]), b = planck[(size_t)l * columns + c];
                    f = b + t * (f - b);
                }
                down += wt[g] * f * times;
                f = 0.02 * f + 0.98 * planck[(size_t)(LEVELS - 1) * columns + c];
                for (int l = LEVELS - 1; l >= 0; --l) {
                    double t = exp(-ab[g] * moistureOf(k) * path[(size_t)l * columns + c]), b = planck[(size_t)l * columns + c];
                    f = b + t * (f - b);
                }
                up += wt[g] * f * times;
            }
        }
        for (int k = 0; k < SLICES; ++k) { gd += ground[(size_t)k * columns + c]; gu += space[(size_t)k * columns + c]; }
        printf("column %d: %.2f down, %.2f up\n", c, gd / steps, gu / steps);
        ok = ok && close_to(gd / steps, down / steps, 5e-3) && close_to(gu / steps, up / steps, 5e-3);
    }
    CK(cudaFree(dpath)); CK(cudaFree(dplanck)); CK(cudaFree(dground)); CK(cudaFree(dspace));
    return report(ok);
}
