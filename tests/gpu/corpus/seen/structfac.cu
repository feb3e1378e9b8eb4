// Static structure factor S(k) of a particle configuration: for a few thousand wave vectors the density
// mode sum_j exp(i k.r_j) is accumulated over all particles; S(k) = |rho_k|^2 / N.
#include "common.h"

__host__ __device__ static inline float4 place(unsigned j)
{
    unsigned a = j * 2654435761u; a ^= a >> 15; a *= 0x85ebca6bu; a ^= a >> 13;
    unsigned b = a * 0xc2b2ae35u + j; b ^= b >> 16;
    unsigned c = b * 0x27d4eb2fu + 77u; c ^= c >> 15;
    const float s = 1.0f / 16777216.0f;
    return make_float4((a >> 8) * s, (b >> 8) * s, (c >> 8) * s, 0.0f);
}

__global__ void seed_particles(float4 *r, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) r[j] = place(j);
}

// one thread per wave vector; blockIdx.y selects a slice of the particles
__global__ void modes(const float4 *__restrict__ r, int n, const float4 *__restrict__ kv, int nk, int slice,
                      float *re, float *im)
{
    __shared__ float4 tile[256];
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float4 q = k < nk ? kv[k] : make_float4(0, 0, 0, 0);
    int from = blockIdx.y * slice, to = min(n, from + slice);
    float c = 0, s = 0;
    for (int base = from; base < to; base += 256) {
        if (base + (int)threadIdx.x < to) tile[threadIdx.x] = r[base + threadIdx.x];
        __syncthreads();
        int m = min(256, to - base);
#pragma unroll 4
        for (int j = 0; j < m; j++) {
            float4 p = tile[j];
            float turns = q.x * p.x + q.y * p.y + q.z * p.z;         // in units of 2 pi
            float ph = 6.2831853f * (turns - rintf(turns));
            c += __cosf(ph);
            s += __sinf(ph);
        }
        __syncthreads();
    }
    if (k < nk) {
        atomicAdd(&re[k], c);
        atomicAdd(&im[k], s);
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int n = argc > 2 ? atoi(argv[2]) : 1600000, nk = 4096;
    std::vector<float4> kv(nk);
    for (int k = 0; k < nk; k++) kv[k] = make_float4(float(k % 16), float((k / 16) % 16), float(k / 256) + 1, 0);
    float4 *r, *dk;
    float *rho;
    CK(cudaMalloc(&r, n * sizeof(float4)));
    CK(cudaMalloc(&dk, nk * sizeof(float4)));
    CK(cudaMalloc(&rho, 2 * nk * sizeof(float)));
    CK(cudaMemcpy(dk, kv.data(), nk * sizeof(float4), cudaMemcpyHostToDevice));
    seed_particles<<<(n + 255) / 256, 256>>>(r, n);
    CK(cudaGetLastError());

#ifdef GOOD
    const int slices = 64;                        // 16 x 64 blocks
#else
    const int slices = 1;                         // 16 blocks
#endif
    int slice = ((n + slices - 1) / slices + 255) / 256 * 256;
    for (int it = 0; it < reps; it++) {
        CK(cudaMemsetAsync(rho, 0, 2 * nk * sizeof(float)));
        modes<<<dim3(nk / 256, slices), 256>>>(r, n, dk, nk, slice, rho, rho + nk);
        CK(cudaGetLastError());
    }
    std::vector<float> h(2 * nk);
    CK(cudaMemcpy(h.data(), rho, 2 * nk * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int k = 3; k < nk; k += 1021) {
        double c = 0, s = 0;
        for (int j = 0; j < n; j++) {
            float4 p = place(j);
            double t = (double)kv[k].x * p.x + (double)kv[k].y * p.y + (double)kv[k].z * p.z;
            t -= rint(t);
            c += cos(6.283185307179586 * t);
            s += sin(6.283185307179586 * t);
        }
        double S = (c * c + s * s) / n;
        double G = ((double)h[k] * h[k] + (double)h[nk + k] * h[nk + k]) / n;
        printf("S(%d) = %.4f  (%.4f)\n", k, G, S);
        if (fabs(h[k] - c) > 3e-3 * sqrt((double)n) + 1 || fabs(h[nk + k] - s) > 3e-3 * sqrt((double)n) + 1) ok = false;
    }
    CK(cudaFree(r));
    CK(cudaFree(dk));
    CK(cudaFree(rho));
    return report(ok);
}
