// A mixing desk: three stems of a long recording become one, each with its gain.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CALL(f) if (cudaError_t err = (f)) { fprintf(stderr, "%s: %s\n", #f, cudaGetErrorString(err)); return 3; }

struct Desk { const float *stem[3]; float gain[3]; };

__host__ __device__ inline float wave(int stem, size_t i) { return (float)((i * (stem * 2 + 3)) % 1021) / 1021.0f - 0.5f; }

__global__ void record(float *x, int stem, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = wave(stem, i);
}

__global__ void mix(Desk d, float *__restrict__ out, size_t n)
{
#ifndef GOOD
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = d.gain[0] * d.stem[0][i] + d.gain[1] * d.stem[1][i] + d.gain[2] * d.stem[2][i];
#else
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n / 4; i += (size_t)gridDim.x * blockDim.x) {
        float4 a = ((const float4 *)d.stem[0])[i], b = ((const float4 *)d.stem[1])[i], c = ((const float4 *)d.stem[2])[i], r;
        r.x = d.gain[0] * a.x + d.gain[1] * b.x + d.gain[2] * c.x;
        r.y = d.gain[0] * a.y + d.gain[1] * b.y + d.gain[2] * c.y;
        r.z = d.gain[0] * a.z + d.gain[1] * b.z + d.gain[2] * c.z;
        r.w = d.gain[0] * a.w + d.gain[1] * b.w + d.gain[2] * c.w;
        ((float4 *)out)[i] = r;
    }
#endif
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 100;
    size_t n = (size_t)1 << (argc > 2 ? atoi(argv[2]) : 27);
    Desk d;
    float *x[3], *out;
    for (int s = 0; s < 3; s++) {
        CUDA_CALL(cudaMalloc(&x[s], n * sizeof(float)));
        record<<<1056, 256>>>(x[s], s, n);
        d.stem[s] = x[s];
        d.gain[s] = 0.25f * (s + 1);
    }
    CUDA_CALL(cudaMalloc(&out, n * sizeof(float)));
#ifndef GOOD
    const int threads = 32;
    unsigned blocks = (unsigned)(n / threads);
#else
    const int threads = 512;
    unsigned blocks = 528;
#endif
    for (int t = 0; t < times; t++) mix<<<blocks, threads>>>(d, out, n);
    CUDA_CALL(cudaGetLastError());
    size_t part = n < 1 << 20 ? n : 1 << 20;
    std::vector<float> h(part);
    CUDA_CALL(cudaMemcpy(h.data(), out + n - part, part * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (size_t i = 0; i < part; i++) {
        float want = 0;
        for (int s = 0; s < 3; s++) want += d.gain[s] * wave(s, n - part + i);
        wrong += !(want - h[i] < 1e-5f && h[i] - want < 1e-5f);
    }
    printf("last sample %f, %ld wrong\n", h.back(), wrong);
    return wrong != 0;
}
