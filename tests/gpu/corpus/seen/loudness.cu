// Loudness and true peak of eight stems of a recording.
//   loudness [takes]
#include "common.h"

__global__ void synthesise(float *x, size_t samples)
{
    int stem = blockIdx.y;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < samples; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = ((unsigned)i + stem * 7919u) * 2654435761u;
        h ^= h >> 13; h *= 0x5bd1e995u;
        x[stem * samples + i] = ((h >> 8) * (2.0f / 16777216) - 1.0f) * (0.1f + 0.05f * stem);
    }
}

template <typename T> __device__ T block_sum(T v, T *scratch)
{
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? scratch[threadIdx.x] : 0;
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    }
    return v;
}

// Block (x, stem) takes its share of the stem.
__global__ void measure(const float4 *__restrict__ x, size_t quads, float gain, float *energy, int *peak)
{
    __shared__ float scratch[32];
    const float4 *s = x + blockIdx.y * quads;
    float e = 0, p = 0;
#pragma unroll 4
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < quads; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = s[i];
        float m = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
        e += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        p = fmaxf(p, m);
    }
    e = block_sum(e, scratch);
    for (int o = 16; o; o >>= 1) p = fmaxf(p, __shfl_down_sync(~0u, p, o));
    if (threadIdx.x % 32 == 0) atomicMax(&peak[blockIdx.y], __float_as_int(p * gain));
    if (threadIdx.x == 0) atomicAdd(&energy[blockIdx.y], e * gain * gain);
}

int main(int argc, char **argv)
{
    int takes = argc > 1 ? atoi(argv[1]) : 100;
    const int stems = 8;
    const size_t samples = 1 << 24;
    float *x, *energy;
    int *peak;
    CK(cudaMalloc(&x, stems * samples * 4));
    CK(cudaMalloc(&energy, stems * 4));
    CK(cudaMalloc(&peak, stems * 4));
    CK(cudaMemset(energy, 0, stems * 4));
    CK(cudaMemset(peak, 0, stems * 4));
    synthesise<<<dim3(256, stems), 256>>>(x, samples);
    CK(cudaGetLastError());
#ifndef GOOD
    dim3 grid(1, stems);         // a block for each stem
    const int threads = 1024;
#else
    dim3 grid(132, stems);
    const int threads = 256;
#endif
    for (int k = 0; k < takes; k++) {
        measure<<<grid, threads>>>((const float4 *)x, samples / 4, 1.0f / (1 + k % 4), energy, peak);
        CK(cudaGetLastError());
    }
    float e[stems];
    int p[stems];
    CK(cudaMemcpy(e, energy, sizeof e, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(p, peak, sizeof p, cudaMemcpyDeviceToHost));
    for (int s = 0; s < stems; s++) {
        float top;
        memcpy(&top, &p[s], 4);
        printf("stem %d: %.3f mean square, %.3f peak\n", s, e[s] / samples / takes, top);
    }
    return report(e[0] > 0);
}
