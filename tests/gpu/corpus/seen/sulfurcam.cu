// Volcanology: pictures of an ultraviolet SO2 camera. Apparent absorbance to column density: the instrument's
// response (a polynomial of degree 16 from the calibration cells) is inverted by five steps of Newton per pixel.
// The archive was validated bit by bit against a CPU run, and the makefile has kept -fmad=false since then.
//   sulfurcam [pictures]
#include "common.h"

#define SIDE 4096
#define DEGREE 16
#define STEPS 5

__constant__ float response[DEGREE];     // of c, c^2, ...

__host__ __device__ inline float absorbance_of(unsigned i, unsigned picture)
{
    unsigned x = i % SIDE, y = i / SIDE;
    unsigned h = (i + 31u * picture) * 2246822519u;
    h ^= h >> 14; h *= 0x9e3779b1u; h ^= h >> 16;
    float plume = (float)((x + 3u * y + 640u * picture) & 4095u) * (1.0f / 4096.0f);
    return 0.02f + 0.75f * plume + (float)(h & 1023u) * 0.0001f;
}

__global__ void expose(float *picture, unsigned number)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < SIDE * SIDE) picture[i] = absorbance_of(i, number);
}

__global__ void __launch_bounds__(256) retrieve(const float *__restrict__ seen, float *__restrict__ column)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    const float a = seen[i];
    float c = a;
    #pragma unroll 1
    for (int k = 0; k < STEPS; ++k) {
        float p = response[DEGREE - 1], dp = 0.0f;
        #pragma unroll
        for (int d = DEGREE - 2; d >= 0; --d) {
            dp = dp * c + p;
            p = p * c + response[d];
        }
        dp = dp * c + p;             // the polynomial has no constant term: value p * c
        c -= __fdividef(p * c - a, dp);
    }
    column[i] = c;
}

int main(int argc, char **argv)
{
    int pictures = argc > 1 ? atoi(argv[1]) : 5000;
    const int stored = 3;
    const unsigned n = SIDE * SIDE;
    float r[DEGREE];
    double power = 1.0;
    for (int d = 0; d < DEGREE; ++d, power *= -0.35) r[d] = (float)(power / (d + 1));
    float *seen[stored], *column;
    CK(cudaMemcpyToSymbol(response, r, sizeof(r)));
    for (int s = 0; s < stored; ++s) {
        CK(cudaMalloc(&seen[s], n * sizeof(float)));
        expose<<<n / 256, 256>>>(seen[s], s);
    }
    CK(cudaMalloc(&column, n * sizeof(float)));
    for (int p = 0; p < pictures; ++p) retrieve<<<n / 256, 256>>>(seen[p % stored], column);
    CK(cudaGetLastError());
    std::vector<float> c(n);
    CK(cudaMemcpy(c.data(), column, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned i = 0; i < n; i += 12347) {
        double a = absorbance_of(i, (pictures - 1) % stored), x = a;
        for (int k = 0; k < 20; ++k) {
            double p = 0, dp = 0;
            for (int d = DEGREE - 1; d >= 0; --d) { dp = dp * x + p; p = p * x + r[d]; }
            dp = dp * x + p;
            x -= (p * x - a) / dp;
        }
        ok = ok && fabs(c[i] - x) < 1e-3 * (x + 0.1);
    }
    printf("column in the middle: %.4f\n", c[n / 2 + SIDE / 2]);
    for (int s = 0; s < stored; ++s) CK(cudaFree(seen[s]));
    CK(cudaFree(column));
    return report(ok);
}
