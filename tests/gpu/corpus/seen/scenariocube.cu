// Writes a cube of market scenarios: for each risk factor the GPU simulates
// 131072 paths of a mean-reverting log price at 64 dates; the slice goes to the
// host, which takes the quantiles it needs from the last date.
#include "common.h"

constexpr int PATHS = 131072, DATES = 64;

__host__ __device__ inline float normal(unsigned x)
{
    // sum of uniforms, good enough for scenario generation
    float s = 0;
    for (int k = 0; k < 4; k++) {
        x = x * 1664525u + 1013904223u;
        unsigned y = x ^ (x >> 16);
        y *= 0x7feb352du; y ^= y >> 15;
        s += (y >> 8) * (1.0f / 16777216.0f);
    }
    return (s - 2.0f) * 1.7320508f;
}

__global__ void scenarios(float *cube, unsigned factor, float kappa, float vol)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    for (int d = 0; d < DATES; d++) {
        x += -kappa * x + vol * normal(factor * 2654435761u + (unsigned)(d * PATHS + p) * 747796405u);
        cube[(size_t)d * PATHS + p] = 100.0f * __expf(x);
    }
}

struct Slice {
    float *p;
    explicit Slice(size_t n)
    {
#ifdef GOOD
        CK(cudaMallocHost(&p, n * sizeof(float)));
#else
        p = new float[n];
#endif
    }
    ~Slice()
    {
#ifdef GOOD
        cudaFreeHost(p);
#else
        delete[] p;
#endif
    }
};

int main(int argc, char **argv)
{
    int factors = argc > 1 ? atoi(argv[1]) : 70;
    const size_t n = (size_t)PATHS * DATES;
    float *cube;
    CK(cudaMalloc(&cube, n * sizeof(float)));
    Slice slice(n);
    memset(slice.p, 0, n * sizeof(float));
    std::vector<float> worst(factors);
    for (int f = 0; f < factors; f++) {
        scenarios<<<PATHS / 256, 256>>>(cube, f, 0.02f, 0.03f);
        CK(cudaGetLastError());
        CK(cudaMemcpy(slice.p, cube, n * sizeof(float), cudaMemcpyDeviceToHost));
        const float *last = slice.p + (size_t)(DATES - 1) * PATHS;
        worst[f] = *std::min_element(last, last + PATHS);
    }

    bool ok = true;
    for (int q = 0; q < 8; q++) {
        unsigned f = factors - 1, p = q * 16001u + 5u;
        float x = 0;
        for (int d = 0; d < DATES; d++) {
            x += -0.02f * x + 0.03f * normal(f * 2654435761u + (unsigned)(d * PATHS + p) * 747796405u);
            if (d % 21 == 0) ok = ok && close_to(slice.p[(size_t)d * PATHS + p], 100.0 * exp(x), 1e-3);
        }
        ok = ok && slice.p[(size_t)(DATES - 1) * PATHS + p] >= worst[f];
    }
    printf("worst of factor 0: %.3f\n", worst[0]);
    CK(cudaFree(cube));
    return report(ok);
}
