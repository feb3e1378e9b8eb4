// Inverse dynamics of many robot arms at once: each has its own 6 x 6 system, solved by
// elimination with partial pivoting, one thread an arm.
//   arm6 [steps]
#include "common.h"

const int D = 6;

__global__ void assemble(float *m, float *rhs, int arms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= arms) return;
    for (int r = 0; r < D; r++) {
        for (int c = 0; c < D; c++) {
            unsigned h = (i * 36u + r * D + c) * 2654435761u;
            h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 13;
            m[(size_t)(r * D + c) * arms + i] = (h >> 8) * (2.0f / 16777216) - 1 + (c == (r + 2) % D ? 2.5f : 0);
        }
        rhs[(size_t)r * arms + i] = 1.0f + 0.1f * r;
    }
}

__global__ void __launch_bounds__(256) solve(const float *__restrict__ m, const float *__restrict__ rhs,
                                             float *__restrict__ x, int arms, float load)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= arms) return;
    float a[D][D + 1];
#pragma unroll
    for (int r = 0; r < D; r++) {
#pragma unroll
        for (int c = 0; c < D; c++) a[r][c] = m[(size_t)(r * D + c) * arms + i];
        a[r][D] = rhs[(size_t)r * arms + i] * load;
    }
#pragma unroll
    for (int k = 0; k < D; k++) {
#ifndef GOOD
        int p = k;
        for (int r = k + 1; r < D; r++)
            if (fabsf(a[r][k]) > fabsf(a[p][k])) p = r;
        for (int c = k; c <= D; c++) {
            float t = a[k][c];
            a[k][c] = a[p][c];
            a[p][c] = t;
        }
#else
        // the largest moves up by exchanges of rows known at compile time
#pragma unroll
        for (int r = k + 1; r < D; r++) {
            bool larger = fabsf(a[r][k]) > fabsf(a[k][k]);
#pragma unroll
            for (int c = k; c <= D; c++) {
                float t = a[k][c];
                a[k][c] = larger ? a[r][c] : t;
                a[r][c] = larger ? t : a[r][c];
            }
        }
#endif
        float inv = __fdividef(1.0f, a[k][k]);
#pragma unroll
        for (int r = k + 1; r < D; r++) {
            float f = a[r][k] * inv;
#pragma unroll
            for (int c = k + 1; c <= D; c++) a[r][c] -= f * a[k][c];
        }
    }
#pragma unroll
    for (int k = D - 1; k >= 0; k--) {
        float s = a[k][D];
#pragma unroll
        for (int c = k + 1; c < D; c++) s -= a[k][c] * a[c][D];
        a[k][D] = __fdividef(s, a[k][k]);
        x[(size_t)k * arms + i] = a[k][D];
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 100;
    const int arms = 1 << 21;
    float *m, *rhs, *x;
    CK(cudaMalloc(&m, (size_t)arms * D * D * sizeof(float)));
    CK(cudaMalloc(&rhs, (size_t)arms * D * sizeof(float)));
    CK(cudaMalloc(&x, (size_t)arms * D * sizeof(float)));
    assemble<<<arms / 256, 256>>>(m, rhs, arms);
    CK(cudaGetLastError());
    for (int s = 0; s < steps; s++) {
        solve<<<arms / 256, 256>>>(m, rhs, x, arms, 1.0f + 0.01f * s);
        CK(cudaGetLastError());
    }
    std::vector<float> h(arms);
    CK(cudaMemcpy(h.data(), x, arms * sizeof(float), cudaMemcpyDeviceToHost));
    std::sort(h.begin(), h.end());      // a few systems are nearly singular: the median is safe
    printf("median acceleration %.4f, quartiles %.4f %.4f\n", h[arms / 2], h[arms / 4], h[arms / 4 * 3]);
    return report(std::isfinite(h[arms / 2]));
}
