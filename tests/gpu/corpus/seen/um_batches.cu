// Training data in managed memory, written by the host; the GPU goes through it batch by
// batch and makes sums of the features.
//   um_batches [batches] [samples of one in thousands]
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define UM_CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    printf("%s (%s:%d)\n", cudaGetErrorString(e_), __FILE__, __LINE__); exit(2); } } while (0)

constexpr int FEATURES = 32;

inline float feature(size_t sample, int f) { return (float)((sample * 3 + f) % 64) * 0.25f; }

__global__ void accumulate(const float *__restrict__ x, size_t samples, double *sums)
{
    // A lane has a feature, a warp every so many samples.
    int lane = threadIdx.x % 32;
    size_t warp = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32, warps = (size_t)gridDim.x * blockDim.x / 32;
    float sum = 0;
    for (size_t s = warp; s < samples; s += warps) sum += x[s * FEATURES + lane];
    atomicAdd(&sums[lane], (double)sum);
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 24;
    size_t samples = (argc > 2 ? atoi(argv[2]) : 512) * 1024ul, all = samples * batches, bytes = samples * FEATURES * sizeof(float);
    float *x;
    double *sums, h[FEATURES];
    UM_CHECK(cudaMallocManaged(&x, bytes * batches));
    UM_CHECK(cudaMalloc(&sums, sizeof h));
    UM_CHECK(cudaMemset(sums, 0, sizeof h));
    std::vector<std::thread> writers;
    for (int w = 0; w < 8; w++)
        writers.emplace_back([=] {
            for (size_t s = all * w / 8; s < all * (w + 1) / 8; s++)
                for (int f = 0; f < FEATURES; f++) x[s * FEATURES + f] = feature(s, f);
        });
    for (auto &t : writers) t.join();
    cudaStream_t work, ahead;
    UM_CHECK(cudaStreamCreate(&work));
    UM_CHECK(cudaStreamCreate(&ahead));
#ifdef GOOD
    cudaMemLocation gpu = {};
    gpu.type = cudaMemLocationTypeDevice;
    gpu.id = 0;
    cudaEvent_t there;
    UM_CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
#endif
    for (int b = 0; b < batches; b++) {
        const float *batch = x + (size_t)b * samples * FEATURES;
#ifdef GOOD
        UM_CHECK(cudaMemPrefetchAsync(batch, bytes, gpu, 0, ahead));
        UM_CHECK(cudaEventRecord(there, ahead));
        UM_CHECK(cudaStreamWaitEvent(work, there, 0));
#endif
        accumulate<<<528, 256, 0, work>>>(batch, samples, sums);
        UM_CHECK(cudaGetLastError());
    }
    UM_CHECK(cudaDeviceSynchronize());
    UM_CHECK(cudaMemcpy(h, sums, sizeof h, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int f = 0; f < FEATURES; f++) {
        double want = 0;
        for (size_t s = 0; s < 64; s++) want += feature(s, f);
        want *= (double)all / 64;
        wrong += !(h[f] > want * 0.9999 && h[f] < want * 1.0001);
    }
    printf("mean of feature 0: %.4f, %d wrong\n", h[0] / all, wrong);
    return wrong != 0;
}
