// Level meter: the root mean square of each frame of 4096 samples of a long recording.
//   rms_meter [frames] [times]
#include "common.h"

const int FRAME = 4096, THREADS = 256;

__host__ __device__ inline float sample(size_t i)
{
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15;
    float level = ((i / FRAME) % 97 + 1) / 97.0f;
    return level * ((int)(h & 0xffff) - 32768) * (1.0f / 32768);
}

__global__ void recording(float *x, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = sample(i);
}

__global__ void rms(const float *__restrict__ x, float *__restrict__ level)
{
    __shared__ float total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const float4 *frame = (const float4 *)(x + (size_t)blockIdx.x * FRAME);
    float sum = 0;
    for (int i = threadIdx.x; i < FRAME / 4; i += THREADS) {
        float4 s = frame[i];
        sum += s.x * s.x + s.y * s.y + s.z * s.z + s.w * s.w;
    }
#ifdef GOOD
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
#endif
        atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0) level[blockIdx.x] = sqrtf(total / FRAME);
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 65536, times = argc > 2 ? atoi(argv[2]) : 40;
    size_t n = (size_t)frames * FRAME;
    float *x, *level;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&level, frames * sizeof(float)));
    recording<<<2112, 256>>>(x, n);
    CK(cudaGetLastError());
    for (int t = 0; t < times; t++) rms<<<frames, THREADS>>>(x, level);
    CK(cudaGetLastError());
    std::vector<float> h(frames);
    CK(cudaMemcpy(h.data(), level, frames * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int f = 0; f < frames; f += frames / 100 + 1) {
        double want = 0;
        for (int i = 0; i < FRAME; i++) want += (double)sample((size_t)f * FRAME + i) * sample((size_t)f * FRAME + i);
        ok = ok && close_to(h[f], sqrt(want / FRAME), 1e-3);
    }
    printf("first frames: %.4f %.4f %.4f\n", h[0], h[1], h[2]);
    return report(ok);
}
