// Means of the channels of many recordings: a reduction a channel with CUB.
#include <cub/cub.cuh>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHK(x) do { if (cudaError_t e = (x)) { fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void signals(float *x, int length)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x)
        x[(size_t)blockIdx.y * length + i] = (float)((i * 13 + blockIdx.y) % 256);
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 60, channels = 256, length = 524288;
    float *x, *sums;
    CHK(cudaMalloc(&x, sizeof(float) * channels * length));
    CHK(cudaMalloc(&sums, sizeof(float) * channels));
    signals<<<dim3(64, channels), 256>>>(x, length);
    void *temp = nullptr;
    size_t bytes = 0;
#ifndef GOOD
    CHK(cub::DeviceReduce::Sum(temp, bytes, x, sums, length));
    CHK(cudaMalloc(&temp, bytes));
    for (int t = 0; t < times; t++)
        for (int c = 0; c < channels; c++)
            CHK(cub::DeviceReduce::Sum(temp, bytes, x + (size_t)c * length, sums + c, length));
#else
    std::vector<int> offsets(channels + 1);
    for (int c = 0; c <= channels; c++) offsets[c] = c * length;
    int *at;
    CHK(cudaMalloc(&at, sizeof(int) * (channels + 1)));
    CHK(cudaMemcpy(at, offsets.data(), sizeof(int) * (channels + 1), cudaMemcpyHostToDevice));
    CHK(cub::DeviceSegmentedReduce::Sum(temp, bytes, x, sums, channels, at, at + 1));
    CHK(cudaMalloc(&temp, bytes));
    for (int t = 0; t < times; t++)
        CHK(cub::DeviceSegmentedReduce::Sum(temp, bytes, x, sums, channels, at, at + 1));
#endif
    std::vector<float> h(channels);
    CHK(cudaMemcpy(h.data(), sums, sizeof(float) * channels, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int c = 0; c < channels; c += 37) {
        double want = 0;
        for (int i = 0; i < length; i++) want += (i * 13 + c) % 256;
        wrong += !(h[c] > want * 0.9999 && h[c] < want * 1.0001);
    }
    printf("mean of channel 0: %.3f, %d wrong\n", h[0] / length, wrong);
    return wrong > 0;
}
