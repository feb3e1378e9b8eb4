// Nearest prototype of each descriptor (16 components), brute force.
//   knn16 [frames]
#include "common.h"

const int DIM = 16;

__device__ float noise(unsigned a)
{
    a ^= a >> 15; a *= 0x2c1b3c6du; a ^= a >> 12; a *= 0x297a2d39u; a ^= a >> 15;
    return (a >> 8) * (1.0f / 16777216);
}

// Queries lie component after component, prototypes one after the other.
__global__ void generate(float *v, int n, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = noise(i ^ seed * 0x9e3779b9u);
}

#ifndef GOOD
__global__ void nearest(const float *__restrict__ query, int nq, const float *__restrict__ proto, int np,
                        int *__restrict__ index, float *__restrict__ distance)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= nq) return;
    float v[DIM];
    for (int k = 0; k < DIM; k++) v[k] = query[(size_t)k * nq + q];
    float best = 1e30f;
    int who = -1;
    for (int p = 0; p < np; p++) {
        float d = 0;
        for (int k = 0; k < DIM; k++) {
            float t = v[k] - proto[p * DIM + k];
            d += t * t;
        }
        if (d < best) { best = d; who = p; }
    }
    index[q] = who;
    distance[q] = best;
}
const int PER_THREAD = 1;
#else
const int PER_THREAD = 2, TILE = 128;
__global__ void __launch_bounds__(256) nearest(const float *__restrict__ query, int nq, const float *__restrict__ proto,
                                               int np, int *__restrict__ index, float *__restrict__ distance)
{
    __shared__ float4 tile[TILE][DIM / 4];
    int q = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
    float v[PER_THREAD][DIM], best[PER_THREAD];
    int who[PER_THREAD];
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
        best[j] = 1e30f;
        who[j] = -1;
#pragma unroll
        for (int k = 0; k < DIM; k++) v[j][k] = query[(size_t)k * nq + min(q + j * 256, nq - 1)];
    }
    for (int base = 0; base < np; base += TILE) {
        for (int i = threadIdx.x; i < TILE * DIM / 4; i += 256)
            tile[i / (DIM / 4)][i % (DIM / 4)] = ((const float4 *)proto)[base * (DIM / 4) + i];
        __syncthreads();
#pragma unroll 2
        for (int p = 0; p < TILE; p++) {
            float d[PER_THREAD] = {};
#pragma unroll
            for (int c = 0; c < DIM / 4; c++) {
                float4 r = tile[p][c];
#pragma unroll
                for (int j = 0; j < PER_THREAD; j++) {
                    float t = v[j][4 * c] - r.x; d[j] += t * t;
                    t = v[j][4 * c + 1] - r.y; d[j] += t * t;
                    t = v[j][4 * c + 2] - r.z; d[j] += t * t;
                    t = v[j][4 * c + 3] - r.w; d[j] += t * t;
                }
            }
#pragma unroll
            for (int j = 0; j < PER_THREAD; j++)
                if (d[j] < best[j]) { best[j] = d[j]; who[j] = base + p; }
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++)
        if (q + j * 256 < nq) { index[q + j * 256] = who[j]; distance[q + j * 256] = best[j]; }
}
#endif

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 20;
    const int nq = 540672, np = 8192;
    float *query, *proto, *dist;
    int *index;
    CK(cudaMalloc(&query, (size_t)nq * DIM * 4));
    CK(cudaMalloc(&proto, np * DIM * 4));
    CK(cudaMalloc(&dist, nq * 4));
    CK(cudaMalloc(&index, nq * 4));
    generate<<<(np * DIM + 255) / 256, 256>>>(proto, np * DIM, 1);
    CK(cudaGetLastError());
    for (int f = 0; f < frames; f++) {
        generate<<<(nq * DIM + 255) / 256, 256>>>(query, nq * DIM, 2 + f);
        nearest<<<(nq + 256 * PER_THREAD - 1) / (256 * PER_THREAD), 256>>>(query, nq, proto, np, index, dist);
        CK(cudaGetLastError());
    }
    std::vector<float> h(nq);
    CK(cudaMemcpy(h.data(), dist, nq * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    printf("mean squared distance %.4f\n", sum / nq);
    return report(sum > 0 && sum / nq < 4);
}
