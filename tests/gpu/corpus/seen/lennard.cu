// Lennard-Jones energy of n particles, all pairs.
#include "common.h"
#ifndef GOOD
typedef double real;
#else
typedef float real;
#endif
__global__ void lj(const float4 *pos, float *energy, int n)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = pos[i];
    real e = 0;
    for (int j0 = 0; j0 < n; j0 += 256) {
        tile[threadIdx.x] = pos[j0 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float4 q = tile[j];
            real dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
            real r2 = dx * dx + dy * dy + dz * dz + (real)0.01;
            real ir2 = (real)1 / r2;
            real ir6 = ir2 * ir2 * ir2;
            if (j0 + j != i) e += (real)4 * (ir6 * ir6 - ir6) * (real)1e-6;
        }
        __syncthreads();
    }
    energy[i] = (float)e;
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    const int n = 1 << 16;
    std::vector<float4> p(n);
    unsigned s = 3;
    for (auto &q : p) q = make_float4(40 * frand(s), 40 * frand(s), 40 * frand(s), 0);
    float4 *dp; float *de;
    CK(cudaMalloc(&dp, n * sizeof(float4))); CK(cudaMalloc(&de, n * sizeof(float)));
    CK(cudaMemcpy(dp, p.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    for (int r = 0; r < reps; r++) lj<<<n / 256, 256>>>(dp, de, n);
    std::vector<float> e(n);
    CK(cudaMemcpy(e.data(), de, n * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 8; t++) {
        int i = lcg(s) % n;
        double ref = 0;
        for (int j = 0; j < n; j++) if (j != i) {
            double dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, dz = p[i].z - p[j].z;
            double r2 = dx * dx + dy * dy + dz * dz + 0.01, i6 = 1 / (r2 * r2 * r2);
            ref += 4 * (i6 * i6 - i6) * 1e-6;
        }
        ok = ok && close_to(e[i], ref, 2e-2);
    }
    return report(ok);
}
