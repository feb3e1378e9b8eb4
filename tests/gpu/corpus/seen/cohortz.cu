// Standard scores of a cohort: mean and deviation of every laboratory marker (a column) over all
// probands (the rows) about a pivot, later used to standardise the visits of single probands.
#include "common.h"

#ifndef PROBANDS
#define PROBANDS 16384
#define MARKERS 16384
#endif
#ifdef GOOD
const int SHARES = 32;
#else
const int SHARES = 1;
#endif

__global__ void assay(float *x)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    unsigned k = (unsigned)r * 2654435761u ^ (unsigned)c * 2246822519u;
    k ^= k >> 15; k *= 0x2c1b3c6du; k ^= k >> 12; k *= 0x297a2d39u; k ^= k >> 15;
    float u = (k >> 8) * (1.0f / 16777216.0f) - 0.5f;
    x[(size_t)r * MARKERS + c] = 5.0f + 0.3f * (c % 11 - 5) / 5.0f + (2.0f + c % 7) * u;
}

__global__ void __launch_bounds__(256) sums(const float *__restrict__ x, float2 *__restrict__ part, float pivot)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, rows = PROBANDS / gridDim.y;
    const float *col = x + (size_t)blockIdx.y * rows * MARKERS + c;
    float s = 0, q = 0;
#pragma unroll 8
    for (int r = 0; r < rows; r++) {
        float d = col[(size_t)r * MARKERS] - pivot;
        s += d;
        q += d * d;
    }
    part[blockIdx.y * MARKERS + c] = make_float2(s, q);
}

__global__ void finish(const float2 *__restrict__ part, float2 *__restrict__ stat, int shares, float pivot)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0, q = 0;
    for (int k = 0; k < shares; k++) {
        float2 p = part[k * MARKERS + c];
        s += p.x;
        q += p.y;
    }
    float m = s / PROBANDS;
    stat[c] = make_float2(pivot + m, sqrtf(fmaxf(q / PROBANDS - m * m, 0.0f)));
}

__global__ void standardise(const float *__restrict__ visit, const float2 *__restrict__ stat, float *__restrict__ z)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    z[c] = (visit[c] - stat[c].x) / stat[c].y;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1100;
    const size_t n = (size_t)PROBANDS * MARKERS;
    float *x, *z;
    float2 *part, *stat;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&z, MARKERS * sizeof(float)));
    CK(cudaMalloc(&part, SHARES * MARKERS * sizeof(float2)));
    CK(cudaMalloc(&stat, MARKERS * sizeof(float2)));
    assay<<<dim3(MARKERS / 256, PROBANDS), 256>>>(x);
    for (int r = 0; r < rounds; r++) {
        float pivot = 5.0f + 0.01f * (r % 7);
        sums<<<dim3(MARKERS / 256, SHARES), 256>>>(x, part, pivot);
        finish<<<MARKERS / 256, 256>>>(part, stat, SHARES, pivot);
        standardise<<<MARKERS / 256, 256>>>(x + (size_t)(r % PROBANDS) * MARKERS, stat, z);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float2> st(MARKERS);
    std::vector<float> zs(MARKERS), col(PROBANDS);
    CK(cudaMemcpy(st.data(), stat, MARKERS * sizeof(float2), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(zs.data(), z, MARKERS * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 16; t++) {
        int c = (t * 1021 + 5) % MARKERS;
        CK(cudaMemcpy2D(col.data(), sizeof(float), x + c, MARKERS * sizeof(float), sizeof(float), PROBANDS,
                        cudaMemcpyDeviceToHost));
        double s = 0, q = 0;
        for (float v : col) s += v;
        s /= PROBANDS;
        for (float v : col) q += (v - s) * (v - s);
        q = sqrt(q / PROBANDS);
        ok = ok && close_to(st[c].x, s, 2e-3) && close_to(st[c].y, q, 2e-3);
        ok = ok && close_to(zs[c], (col[(rounds - 1) % PROBANDS] - s) / q, 2e-2);
    }
    CK(cudaFree(x)); CK(cudaFree(z)); CK(cudaFree(part)); CK(cudaFree(stat));
    return report(ok);
}
