// Natural cubic splines through 8192 sampled curves: the tridiagonal system (1 4 1) of every curve is
// factored and solved by the Thomas algorithm, one thread per curve, unknowns stored [knot][curve].
#include "common.h"

const int CURVES = 8192, KNOTS = 2050;

__device__ __host__ inline double height(int curve, int k)
{
    unsigned x = (unsigned)curve * 2654435761u + (unsigned)k * 2246822519u;
    x ^= x >> 16; x *= 3266489917u; x ^= x >> 13;
    return x * (1.0 / 4294967296.0);
}

__global__ void sample(double *y)
{
    int c = blockIdx.x * 256 + threadIdx.x;
    for (int k = blockIdx.y; k < KNOTS; k += gridDim.y) y[(size_t)k * CURVES + c] = height(c, k);
}

__global__ void second_derivs(const double *__restrict__ y, double *__restrict__ cp, double *__restrict__ m, double stretch)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= CURVES) return;
    double a = 0, d = 0;                     // c' and d' of the row before
    double y0 = y[c], y1 = y[CURVES + c];
    cp[c] = 0; m[c] = 0;
    for (int k0 = 1; k0 < KNOTS - 1; k0 += 8) {
        double ahead[8];
#pragma unroll
        for (int u = 0; u < 8; u++) ahead[u] = y[(size_t)(k0 + u + 1) * CURVES + c];
#pragma unroll
        for (int u = 0; u < 8; u++) {
            double inv = 1.0 / (4.0 * stretch - a);
            d = (6.0 * (ahead[u] - 2.0 * y1 + y0) - d) * inv;
            a = inv;
            cp[(size_t)(k0 + u) * CURVES + c] = a;
            m[(size_t)(k0 + u) * CURVES + c] = d;
            y0 = y1; y1 = ahead[u];
        }
    }
    double up = 0;
    m[(size_t)(KNOTS - 1) * CURVES + c] = 0;
#pragma unroll 8
    for (int k = KNOTS - 2; k > 0; k--) {
        up = m[(size_t)k * CURVES + c] - cp[(size_t)k * CURVES + c] * up;
        m[(size_t)k * CURVES + c] = up;
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 100;
    size_t n = (size_t)CURVES * KNOTS;
    double *y, *cp, *m;
    CK(cudaMalloc(&y, n * sizeof(double)));
    CK(cudaMalloc(&cp, n * sizeof(double)));
    CK(cudaMalloc(&m, n * sizeof(double)));
    sample<<<dim3(CURVES / 256, 64), 256>>>(y);
    CK(cudaGetLastError());
#ifdef GOOD
    int block = 32;
#else
    int block = 1024;
#endif
    for (int r = 0; r < reps; r++)
        second_derivs<<<(CURVES + block - 1) / block, block>>>(y, cp, m, 1.0);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // residual of the system for some curves
    bool ok = true;
    std::vector<double> row(3 * CURVES);
    for (int k = 1; k < KNOTS - 1; k += 97) {
        CK(cudaMemcpy(row.data(), m + (size_t)(k - 1) * CURVES, row.size() * sizeof(double), cudaMemcpyDeviceToHost));
        for (int c = 0; c < CURVES; c += 11) {
            double lhs = row[c] + 4.0 * row[CURVES + c] + row[2 * CURVES + c];
            double rhs = 6.0 * (height(c, k + 1) - 2.0 * height(c, k) + height(c, k - 1));
            ok = ok && close_to(lhs, rhs, 1e-8);
        }
    }
    CK(cudaFree(y)); CK(cudaFree(cp)); CK(cudaFree(m));
    return report(ok);
}
