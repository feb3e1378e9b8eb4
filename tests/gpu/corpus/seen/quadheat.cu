// Finite elements: heat generated in every 8-node brick by a temperature-dependent source,
// integrated with 3x3x3 Gauss points.  Nodal temperatures come gathered, node by node.
#include "common.h"

const int NQ = 27, NN = 8;
const int NE = 8 << 20;

#ifdef GOOD
__constant__ float shape[NQ * NN];
__constant__ float weight[NQ];
#endif

__host__ __device__ inline float nodal(int e, int k)
{
    unsigned h = (unsigned)e * 747796405u + k * 2891336453u;
    h ^= h >> 16; h *= 0x7feb352du;
    return 0.2f + (h >> 16) * (1.0f / 65536.0f);
}

__global__ void gather_temperatures(float *t)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < NE)
        for (int k = 0; k < NN; k++) t[(size_t)k * NE + e] = nodal(e, k);
}

__global__ void heat_source(const float *__restrict__ t, float *__restrict__ out
#ifndef GOOD
                            , const float *__restrict__ shape, const float *__restrict__ weight
#endif
                            )
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= NE) return;
    float tn[NN];
#pragma unroll
    for (int k = 0; k < NN; k++) tn[k] = t[(size_t)k * NE + e];
    float heat = 0.0f;
#pragma unroll
    for (int q = 0; q < NQ; q++) {
        float tq = 0.0f;
#pragma unroll
        for (int k = 0; k < NN; k++) tq += shape[q * NN + k] * tn[k];
        heat += weight[q] * (1.0f + tq * (0.3f + 0.05f * tq));
    }
    out[e] = heat;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 250;
    float hs[NQ * NN], hw[NQ];
    const float g[3] = {-0.7745967f, 0.0f, 0.7745967f}, w1[3] = {5.0f / 9, 8.0f / 9, 5.0f / 9};
    for (int q = 0; q < NQ; q++) {
        float x = g[q % 3], y = g[q / 3 % 3], z = g[q / 9];
        hw[q] = w1[q % 3] * w1[q / 3 % 3] * w1[q / 9];
        for (int k = 0; k < NN; k++)
            hs[q * NN + k] = 0.125f * (1 + (k & 1 ? x : -x)) * (1 + (k & 2 ? y : -y)) * (1 + (k & 4 ? z : -z));
    }
    float *t, *out;
    CK(cudaMalloc(&t, (size_t)NE * NN * 4));
    CK(cudaMalloc(&out, (size_t)NE * 4));
    gather_temperatures<<<NE / 256, 256>>>(t);
    CK(cudaGetLastError());
#ifdef GOOD
    CK(cudaMemcpyToSymbol(shape, hs, sizeof hs));
    CK(cudaMemcpyToSymbol(weight, hw, sizeof hw));
#else
    float *ds, *dw;
    CK(cudaMalloc(&ds, sizeof hs));
    CK(cudaMalloc(&dw, sizeof hw));
    CK(cudaMemcpy(ds, hs, sizeof hs, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dw, hw, sizeof hw, cudaMemcpyHostToDevice));
#endif
    for (int s = 0; s < steps; s++) {
#ifdef GOOD
        heat_source<<<NE / 256, 256>>>(t, out);
#else
        heat_source<<<NE / 256, 256>>>(t, out, ds, dw);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int e = 11; e < NE; e += NE / 50) {
        double want = 0;
        for (int q = 0; q < NQ; q++) {
            double tq = 0;
            for (int k = 0; k < NN; k++) tq += (double)hs[q * NN + k] * nodal(e, k);
            want += hw[q] * (1.0 + tq * (0.3 + 0.05 * tq));
        }
        float got;
        CK(cudaMemcpy(&got, out + e, 4, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, want, 1e-4);
    }
    CK(cudaFree(t)); CK(cudaFree(out));
    return report(ok);
}
