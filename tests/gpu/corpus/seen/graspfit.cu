// Grasp planning: every point of a segmented depth cloud is tested against a bank
// of superquadric shape hypotheses; for each point the smallest radial residual
// (and which shape has it) is kept.
#include "common.h"

constexpr int POINTS = 12 << 20, SHAPES = 384;

struct Shape { float ia, ib, ic, p, q, r; };     // inverse radii, 2/e2, e2/e1, 2/e1
__constant__ Shape bank[SHAPES];

__host__ __device__ inline float coord(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return (x >> 8) * (3.0f / 16777216.0f) - 1.5f;
}

__global__ void make_cloud(float *x, float *y, float *z)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = coord(3 * i); y[i] = coord(3 * i + 1); z[i] = coord(3 * i + 2);
}

__device__ inline float power(float b, float e)
{
#ifdef GOOD
    return __powf(b, e);
#else
    return powf(b, e);
#endif
}

__global__ void residuals(const float *x, const float *y, const float *z, float *res, int *which, int shapes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float px = fabsf(x[i]), py = fabsf(y[i]), pz = fabsf(z[i]);
    float best = 1e30f;
    int arg = -1;
    for (int s = 0; s < shapes; s++) {
        Shape h = bank[s];
        float f = power(px * h.ia, h.p) + power(py * h.ib, h.p);
        float g = power(f, h.q) + power(pz * h.ic, h.r);
        float d = fabsf(g - 1.0f);
        if (d < best) { best = d; arg = s; }
    }
    res[i] = best;
    which[i] = arg;
}

static double residual_cpu(const Shape &h, double x, double y, double z)
{
    double f = pow(fabs(x) * h.ia, (double)h.p) + pow(fabs(y) * h.ib, (double)h.p);
    return fabs(pow(f, (double)h.q) + pow(fabs(z) * h.ic, (double)h.r) - 1.0);
}

int main(int argc, char **argv)
{
    int clouds = argc > 1 ? atoi(argv[1]) : 1;
    unsigned seed = 5;
    std::vector<Shape> h(SHAPES);
    for (auto &s : h) {
        float e1 = 0.4f + 1.4f * frand(seed), e2 = 0.4f + 1.4f * frand(seed);
        s = {1 / (0.3f + frand(seed)), 1 / (0.3f + frand(seed)), 1 / (0.3f + frand(seed)), 2 / e2, e2 / e1, 2 / e1};
    }
    CK(cudaMemcpyToSymbol(bank, h.data(), SHAPES * sizeof(Shape)));
    float *x, *y, *z, *res;
    int *which;
    CK(cudaMalloc(&x, POINTS * sizeof(float)));
    CK(cudaMalloc(&y, POINTS * sizeof(float)));
    CK(cudaMalloc(&z, POINTS * sizeof(float)));
    CK(cudaMalloc(&res, POINTS * sizeof(float)));
    CK(cudaMalloc(&which, POINTS * sizeof(int)));
    make_cloud<<<POINTS / 256, 256>>>(x, y, z);
    for (int c = 0; c < clouds; c++)
        residuals<<<POINTS / 256, 256>>>(x, y, z, res, which, SHAPES);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 64; q++) {
        unsigned i = q * 190001u + 3u;
        double best = 1e30;
        for (auto &s : h) best = std::min(best, residual_cpu(s, coord(3 * i), coord(3 * i + 1), coord(3 * i + 2)));
        float r;
        int w;
        CK(cudaMemcpy(&r, res + i, sizeof r, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&w, which + i, sizeof w, cudaMemcpyDeviceToHost));
        ok = ok && w >= 0 && w < SHAPES && close_to(r, best, 2e-3);
    }
    CK(cudaFree(x)); CK(cudaFree(y)); CK(cudaFree(z)); CK(cudaFree(res)); CK(cudaFree(which));
    return report(ok);
}
