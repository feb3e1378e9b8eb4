// Fermentation of must in many small vats: sugar, yeast, alcohol and temperature, mass-action kinetics,
// explicit steps.  Each launch tries another cooling temperature from the same start.
// usage: mustvats VATS STEPS TRIALS
#include "common.h"

#ifdef GOOD
const int BLOCK = 128;
#else
const int BLOCK = 256;
#endif

struct Kinetics { float grow, toxic, die, make, heat, cool; };   // per step

__global__ void ferment(const float *__restrict__ sugar0, const float *__restrict__ yeast0, float *__restrict__ sugar,
                        float *__restrict__ alcohol, Kinetics k, float cellar, int vats, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vats) return;
    float s = sugar0[i], x = yeast0[i], e = 0.0f, t = 0.5f;
#pragma unroll 4
    for (int n = 0; n < steps; n++) {
        float busy = k.grow * t * s * x;        // sugar eaten in this step
        x += busy * (1.0f - k.toxic * e) - k.die * e * x;
        s -= busy;
        e += k.make * busy;
        t += k.heat * busy - k.cool * (t - cellar);
    }
    sugar[i] = s;
    alcohol[i] = e;
}

int main(int argc, char **argv)
{
    int vats = argc > 1 ? atoi(argv[1]) : 132 * 2048 * 8;
    int steps = argc > 2 ? atoi(argv[2]) : 512;
    int trials = argc > 3 ? atoi(argv[3]) : 900;
    size_t bytes = vats * sizeof(float);

    std::vector<float> sugar(vats), yeast(vats), s1(vats), e1(vats);
    unsigned seed = 1855;
    for (int i = 0; i < vats; i++) {
        sugar[i] = 0.8f + 0.4f * frand(seed);
        yeast[i] = 0.02f + 0.03f * frand(seed);
    }
    float *dsugar, *dyeast, *ds, *de;
    CK(cudaMalloc(&dsugar, bytes));
    CK(cudaMalloc(&dyeast, bytes));
    CK(cudaMalloc(&ds, bytes));
    CK(cudaMalloc(&de, bytes));
    CK(cudaMemcpy(dsugar, sugar.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dyeast, yeast.data(), bytes, cudaMemcpyHostToDevice));

    Kinetics k = {0.02f, 0.5f, 0.003f, 0.51f, 0.6f, 0.008f};
    float cellar = 0.0f;
    for (int trial = 0; trial < trials; trial++) {
        cellar = 0.4f + 0.3f * trial / trials;
        ferment<<<(vats + BLOCK - 1) / BLOCK, BLOCK>>>(dsugar, dyeast, ds, de, k, cellar, vats, steps);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(s1.data(), ds, bytes, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(e1.data(), de, bytes, cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 5; q++) {
        int i = (int)((long long)q * (vats - 1) / 4);
        double s = sugar[i], x = yeast[i], e = 0, t = 0.5;
        for (int n = 0; n < steps; n++) {
            double busy = k.grow * t * s * x;
            x += busy * (1 - k.toxic * e) - k.die * e * x;
            s -= busy;
            e += k.make * busy;
            t += k.heat * busy - k.cool * (t - cellar);
        }
        printf("vat %d: sugar %.4f (%.4f), alcohol %.4f (%.4f)\n", i, s1[i], s, e1[i], e);
        if (!close_to(s1[i], s, 2e-3) || !close_to(e1[i], e, 2e-3)) ok = false;
    }
    CK(cudaFree(dsugar)); CK(cudaFree(dyeast)); CK(cudaFree(ds)); CK(cudaFree(de));
    return report(ok);
}
